/* rows.h - the samples of every run in each frame and in each function. */
#ifndef ROWS_H
#define ROWS_H

#include "exposure.h"

/*
 * A table of floating point numbers, a column for each run: what passes
 * through frame i of the trie in row i, then what passes through function f
 * in row frames + f, where a stack counts once however often f is on it.
 * Suffixes of frames are ignored.  Release with rows_free().
 */
struct rows {
	const struct sides *sides;
	const struct exposure *exposure;
	uint32_t frames, functions, n;
	double **column;
	struct intern *function; /* names */
	uint32_t *of;            /* function of a frame */

	/*
	 * The frames of a function that no other one of it called, which stand
	 * for its stacks: the first, and after each the next, or 0.
	 */
	uint32_t *top, *another;
	bool *is_top; /* by frame */
};

/* The sides are finished and have runs; both outlive the rows. */
void rows_init(struct rows *r, const struct sides *s, const struct exposure *e);
void rows_free(struct rows *r);

/* Of a run the samples in length seconds, counted from first on, by row. */
void rows_fill(const struct rows *r, size_t run, uint32_t first,
	       uint32_t length, double *column);

/* A row's samples by run, copied to v; and by side. */
void rows_get(const struct rows *r, uint32_t row, double *v);
void rows_sum(const struct rows *r, uint32_t row, double sum[2]);

/* What a row shows: sums of the sides, the test, and how runs differ. */
struct trial {
	double x, y; /* samples before and after */
	double root; /* signed root of G, before dispersion */
	double phi;  /* dispersion within the sides, df degrees of freedom */
	double df;
	double mean;   /* samples of a run to which phi belongs */
	double wanted; /* those for which the sums need one */
};
struct trial rows_try(const struct rows *r, const double *v);

/* The same where less, by run, does not belong to the totals. */
struct trial rows_try_without(const struct rows *r, const double *v,
			      const double *less);

/* What a run is of the samples of both sides, as the test needs it. */
double rows_part(const struct rows *r);

#endif
