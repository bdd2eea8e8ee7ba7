/* steady.h - an order that changes only beyond noise. */
#ifndef STEADY_H
#define STEADY_H

#include <stddef.h>
#include <stdint.h>

struct steady_item {
	uint64_t key;   /* who it is, from one time to the next */
	double samples; /* by which they are ordered, the most first */
	uint32_t index; /* the caller's own */
};

/* The order of the last time.  All zero at the start; steady_free(). */
struct steady {
	uint64_t *key;
	size_t n, cap;
};

/*
 * Order n items, which are sorted already: those of the last time keep their
 * order, but one rises above all that it exceeds by more than two standard
 * deviations of the difference of two counts.  Others stand where they belong.
 */
void steady_order(struct steady *s, struct steady_item *item, size_t n);

/* Forget the last time's order. */
void steady_forget(struct steady *s);

void steady_free(struct steady *s);

#endif
