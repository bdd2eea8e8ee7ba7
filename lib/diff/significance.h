/* significance.h - tests which frames and functions changed; folddiff(1). */
#ifndef SIGNIFICANCE_H
#define SIGNIFICANCE_H

#include "diff/change.h"
#include "diff/dispersion.h"
#include "diff/single_run.h"

struct significance_option {
	double fdr;        /* false discovery rate */
	double min_effect; /* least |ratio - 1| */
	double min_share;  /* least share of the samples of either side */
	double phi;        /* dispersion, 0 if not given */
	struct norm_option norm;
};

/* The test of a row of the matrix. */
struct test {
	uint32_t row;
	struct row_stats stats;
	double phi, df; /* shrunken dispersion, its degrees of freedom */
	double t;       /* Student's t */
	double p;
	double q; /* p, adjusted to the false discovery rate */
};

/* Release with significance_free(). */
struct significance {
	struct significance_option option;
	const char *untested; /* why nothing was tested, or NULL */
	bool replicates;      /* a side has several runs */
	bool assumed;         /* one run a side, and no --phi: use single */
	double size_factor;   /* exposure after / before, by most functions; */
	double size_factor_error; /* of its logarithm; 0 if unknown */
	struct exposure exposure;
	struct sample_matrix matrix;
	struct dispersion dispersion;
	struct single_run single; /* if assumed */
	struct test *test;        /* sorted by p */
	size_t ntests, tests_cap;
	size_t nsignificant; /* the first tests */
	struct change *change;
	size_t nchange, change_cap;
	struct change *largest; /* if assumed: largest.h */
	size_t nlargest, largest_cap;

	/* Private to significance.c and attribute.c. */
	double max_p;      /* the p up to which tests are significant */
	uint32_t *test_of; /* by row: 1 + index in test, or 0 */
	double *scratch;   /* one number per run */
	double *samples;   /* of the changes, by run */
	size_t nsamples, samples_cap;
};

/*
 * Test a comparison that is read completely, with runs, and find the changes.
 * *sig may be uninitialized; c must outlive it.  Ends the program with status
 * 2 if a run lacks the metadata key of --norm.
 */
void significance_test(struct significance *sig, const struct comparison *c,
		       const struct significance_option *o);

void significance_free(struct significance *sig);

#endif
