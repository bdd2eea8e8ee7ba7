/* cells.h - a few stacks and their counts, by number of the stack. */
#ifndef CELLS_H
#define CELLS_H

#include "count.h"

/* All zero is empty; release with cells_free(). */
struct cells {
	struct cell {
		uint32_t stack, micro;
		uint64_t units;
	} * cell;
	size_t n, cap;
	uint64_t samples; /* that were added */

	/* Below here is cells.c's own. */
	size_t full; /* so many: time to add up equal stacks */
};

static inline struct count
cell_count(const struct cell *c)
{
	return (struct count){ c->units, c->micro };
}

/*
 * Add a sample.  Memory is bounded by the number of different stacks.  Ends
 * the program with status 2 where a sum exceeds 64 bits.
 */
void cells_add(struct cells *c, uint32_t stack, struct count count);

void cells_clear(struct cells *c);
void cells_free(struct cells *c);

#endif
