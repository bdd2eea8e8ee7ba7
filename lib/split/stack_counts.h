/* stack_counts.h - a small profile: the counts of a few stacks, by number. */
#ifndef STACK_COUNTS_H
#define STACK_COUNTS_H

#include "base/count.h"

/* A stack may occur several times.  All zero is empty; stack_counts_free(). */
struct stack_counts {
	struct stack_count {
		uint32_t stack, micro;
		uint64_t units;
	} * item;
	size_t n, cap;
	uint64_t samples;

	/* Private to stack_counts.c. */
	size_t merge_at; /* merge equal stacks at this size */
};

static inline struct count
stack_counts_count(const struct stack_count *item)
{
	return (struct count){ item->units, item->micro };
}

/*
 * Add a sample.  Memory is proportional to the number of different stacks.
 * Ends the program with status 2 if a sum exceeds 64 bits.
 */
void stack_counts_add(struct stack_counts *c, uint32_t stack,
		      struct count count);

/* Remove all stacks, but keep the memory. */
void stack_counts_clear(struct stack_counts *c);

/* Release all memory; c is empty then. */
void stack_counts_free(struct stack_counts *c);

#endif
