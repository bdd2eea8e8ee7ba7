/* stable_order.h - sorts by sampled counts without reordering by noise. */
#ifndef STABLE_ORDER_H
#define STABLE_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct stable_order_item {
	uint64_t key;   /* identifies the item across calls */
	double samples; /* sort key, largest first */
	uint32_t index; /* for the caller */
};

/* The previous order.  All zero at the start; stable_order_free(). */
struct stable_order {
	uint64_t *key;
	size_t n, cap;
};

/*
 * Sort n items, which are sorted by samples already.  Items of the previous
 * order keep it, but an item rises above all items that it exceeds by more
 * than two standard deviations of the difference of two counts.  New items go
 * where their samples place them.
 */
void stable_order_sort(struct stable_order *s, struct stable_order_item *item,
		       size_t n);

/* Forget the previous order. */
void stable_order_forget(struct stable_order *s);

void stable_order_free(struct stable_order *s);

#endif
