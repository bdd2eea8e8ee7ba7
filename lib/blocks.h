/* blocks.h - how much seconds of a run differ, where there are no other runs.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "dispersion.h"
#include "rows.h"

/*
 * Runs with times are cut into blocks of a second or more, and each block is
 * compared with the next: what a program does changes, but mostly slowly.
 * Neighbours are alike, so runs differ by more than blocks show.  All zero at
 * first; release with blocks_free().
 */
struct blocks {
	size_t pairs; /* of blocks, in all runs */

	/* By row, summed over the pairs: */
	double *square;   /* of the difference, */
	double *variance; /* what it would be by chance, */
	double *n;        /* samples, */
	uint32_t *df;     /* and pairs that have any */
};

/* Measure each row. */
void blocks_measure(struct blocks *b, const struct rows *r);

/* What the blocks show of a row. */
struct spread blocks_get(const struct blocks *b, uint32_t row);

void blocks_free(struct blocks *b);

#endif
