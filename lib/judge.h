/* judge.h - which frames and functions changed, beyond noise; folddiff(1). */
#ifndef JUDGE_H
#define JUDGE_H

#include "blocks.h"
#include "change.h"
#include "rows.h"

struct judge_option {
	double fdr;        /* rate of false discoveries */
	double min_effect; /* least |ratio - 1| */
	double min_share;  /* least share of the samples, of either side */
	double phi;        /* dispersion, 0 where not stated */
	struct norm_option norm;
};

/* A frame or function that was tested; rows.h. */
struct test {
	uint32_t row;
	struct trial trial;
	double phi, df, t; /* of Student */
	double p, q;
};

/* All zero at first; release with judge_free(). */
struct judge {
	struct judge_option option;
	const char *untested; /* why nothing was tested, or NULL */
	bool replicates;      /* runs of one side show how runs differ */
	double robust;        /* exposure after / before by most functions, */
	double robust_error;  /* with its standard error; 0 if not known */
	struct exposure exposure;
	struct rows rows;
	struct dispersion dispersion;
	bool bounded; /* it is not less than what blocks of the runs show */
	struct blocks blocks;
	struct dispersion bound;
	struct test *test; /* sorted by p */
	size_t n, cap;
	double limit;       /* p of what is significant: at most this */
	size_t significant; /* of them, the first */
	uint32_t *test_of;  /* by row: 1 + its place in test, or 0 */
	double *scratch;    /* room for one row */
	struct change *change;
	size_t nchange, change_cap;
	double *value; /* samples of changes by run */
	size_t nvalue, value_cap;
};

/*
 * Test finished sides with runs, which outlive the result.  Ends the program
 * with status 2 where --norm asks for what is not there.
 */
void judge(struct judge *j, const struct sides *s,
	   const struct judge_option *o);

/* Judge what a row shows, or a part of it: as a test without q. */
struct test judge_values(const struct judge *j, uint32_t row, const double *v);
struct test judge_trial(const struct judge *j, uint32_t row,
			struct trial trial);

/*
 * The dispersion of what runs and blocks, if there are any, show so; *df are
 * its degrees of freedom.
 */
double judge_phi(const struct judge *j, const struct spread *runs,
		 const struct spread *blocks, double *df);

/* The test of a row if it is significant, else NULL. */
const struct test *judge_significant(const struct judge *j, uint32_t row);

void judge_free(struct judge *j);

#endif
