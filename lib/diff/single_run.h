/* single_run.h - the dispersion to assume with one run a side. */
#ifndef SINGLE_RUN_H
#define SINGLE_RUN_H

#include "diff/block_variance.h"
#include "diff/row_class.h"

/*
 * One run a side does not show how much runs differ.  Blocks of a run do not
 * predict it either, so it is assumed by class of code; folddiff(1) has the
 * formula and how often it is right.  Release with single_run_free().
 */
struct single_run {
	struct row_class class;
	struct block_variance blocks;
	double user;        /* relative spread of user code between runs */
	double phases;      /* upper quartile of the aligned dispersions */
	double typical;     /* median of the aligned dispersions, at least 1 */
	bool phases_differ; /* the runs have other phases, or another order */
};

/* The spreads to assume; user code has more if kernel code is not known. */
#define SINGLE_RUN_USER 0.03
#define SINGLE_RUN_MIXED 0.05
#define SINGLE_RUN_KERNEL 0.5
#define SINGLE_RUN_JIT 1.0

/* Samples of both sides that a row needs to be tested. */
#define SINGLE_RUN_SAMPLES 40

/* Find the classes of all rows. */
void single_run_init(struct single_run *s, const struct sample_matrix *m);

/* Measure the blocks of the runs; n rows are tested. */
void single_run_measure(struct single_run *s, const struct sample_matrix *m,
			const uint32_t *row, size_t n);

/*
 * The dispersion of a row, or of a part of it, that has x samples before and y
 * after.
 */
double single_run_phi(const struct single_run *s, const struct sample_matrix *m,
		      uint32_t row, double x, double y);

/* The dispersion of a user function that has x and y samples. */
double single_run_typical_phi(const struct single_run *s,
			      const struct sample_matrix *m, double x,
			      double y);

void single_run_free(struct single_run *s);

#endif
