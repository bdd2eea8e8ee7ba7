/* heat.h - samples by when they were taken, for a heat map. */
#ifndef HEAT_H
#define HEAT_H

#include "count.h"

#include <stdbool.h>
#include <stddef.h>

struct heat_sample {
	uint64_t time; /* ns */
	struct count count;
	uint32_t frame; /* in which its stack ends */
	uint32_t cell;
};

/*
 * Columns of a time span each, rows of parts of it.  Cells have numbers in
 * the order of time: those of the first column, then those of the second.
 * All zero but for span and rows at the start; release with heat_free().
 */
struct heat {
	uint64_t span; /* of a column, ns; 0 to choose it */
	uint32_t rows; /* 0 to choose it */
	uint32_t columns;
	uint64_t start;    /* of the first column, ns; a whole second */
	uint32_t *samples; /* in each cell */
	struct heat_sample *sample; /* by cell, then by frame */
	size_t n;

	/* Its own. */
	size_t cap;
};

/* Add a sample; its frame is not known yet. */
void heat_add(struct heat *h, uint64_t time, struct count count);

/*
 * When all is added: set the frames, of which there is one for each sample in
 * the order they came, and sort the samples into cells.  Where no span was
 * given it is a second, or so many that there are at most max columns, which
 * is not below 16; where no rows were, 50, or fewer if the samples are.  False
 * if with the span that was given there would be more columns.
 */
bool heat_finish(struct heat *h, const uint32_t *frame, uint32_t max);

/*
 * The least time that is round, 1, 2, 5, 10, 20, 30 s ..., and not below ns;
 * the greatest there is where 64 bits have none.
 */
uint64_t heat_round(uint64_t ns);

void heat_free(struct heat *h);

#endif
