/* sample_matrix.h - the samples of each run in each frame and function. */
#ifndef SAMPLE_MATRIX_H
#define SAMPLE_MATRIX_H

#include "diff/exposure.h"

/*
 * A matrix of inclusive samples with a column for each run.  Row i is frame i
 * of the trie; row frames + f is function f.  A stack counts once for a
 * function, even if the function recurses.  Suffixes of frame names are
 * ignored.  Release with sample_matrix_free().
 */
struct sample_matrix {
	const struct comparison *comparison;
	const struct exposure *exposure;
	uint32_t frames, functions;
	uint32_t rows; /* frames + functions */
	double **column;
	struct intern *function; /* names */
	uint32_t *function_of;   /* by frame */

	/*
	 * A frame is outermost if no caller is the same function.  Each
	 * function has a list of these frames, which together hold all its
	 * stacks.  It starts at outermost[function], continues at
	 * next_outermost[frame] and ends with 0.
	 */
	uint32_t *outermost, *next_outermost;
	bool *is_outermost; /* by frame */
};

/*
 * Build the matrix of a comparison that is read completely, with runs.  The
 * comparison and the exposure must outlive m.
 */
void sample_matrix_init(struct sample_matrix *m, const struct comparison *c,
			const struct exposure *e);
void sample_matrix_free(struct sample_matrix *m);

/*
 * A column has the samples of stacks, by the frame where they end: add them to
 * the callers and functions.
 */
void sample_matrix_add_up(const struct sample_matrix *m, double *column);

/* Copy the samples of a row, by run, to v. */
void sample_matrix_get(const struct sample_matrix *m, uint32_t row, double *v);

/* Sum the samples of a row, by side. */
void sample_matrix_sum(const struct sample_matrix *m, uint32_t row,
		       double sum[2]);

/* The statistics of a row. */
struct row_stats {
	double x, y;   /* samples before and after */
	double root_g; /* signed root of G, not corrected for dispersion */
	double phi;    /* dispersion between the runs of each side */
	double df;     /* degrees of freedom of phi */
	double mean;   /* samples per run, where phi was measured */
	double target; /* the mean for which phi is needed */
};

/* Compute the statistics of samples by run. */
struct row_stats sample_matrix_stats(const struct sample_matrix *m,
				     const double *v);

/* The same with less[run] samples subtracted from the exposures. */
struct row_stats sample_matrix_stats_without(const struct sample_matrix *m,
					     const double *v,
					     const double *less);

/*
 * The share of both sides' samples that a typical run has, for the target of
 * row_stats.
 */
double sample_matrix_run_share(const struct sample_matrix *m);

#endif
