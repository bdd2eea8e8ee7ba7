/* block_variance.h - how much the blocks of two runs differ. */
#ifndef BLOCK_VARIANCE_H
#define BLOCK_VARIANCE_H

#include "diff/sample_matrix.h"

/*
 * One run a side, both with times: each is cut into blocks of equal numbers of
 * samples, and block k of one is compared with block k of the other.  Phases
 * that both runs have do not count then.  Arrays are indexed by row; start with
 * all zero and release with block_variance_free().
 */
struct block_variance {
	bool measured;   /* else the rest is zero */
	double *aligned; /* dispersion between blocks of the same place */
	double *within;  /* dispersion between the blocks of each run */
};

/*
 * Measure all rows.  False if a side has several runs, too few samples, or
 * samples without times.
 */
bool block_variance_measure(struct block_variance *b,
			    const struct sample_matrix *m);

void block_variance_free(struct block_variance *b);

#endif
