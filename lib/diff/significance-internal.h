/* significance-internal.h - what attribute.c needs of significance.c. */
#ifndef SIGNIFICANCE_INTERNAL_H
#define SIGNIFICANCE_INTERNAL_H

#include "diff/significance.h"

/* Test the samples v of a row, by run, or a part of them; q stays 0. */
struct test significance_values(const struct significance *sig, uint32_t row,
				const double *v);

/* The same for statistics that are computed already. */
struct test significance_stats(const struct significance *sig, uint32_t row,
			       struct row_stats stats);

/* Samples of both sides that a row, or a part of it, needs to be tested. */
double significance_min_samples(const struct significance *sig);

/* The test of a row if it is significant, else NULL. */
const struct test *significance_passes(const struct significance *sig,
				       uint32_t row);

#endif
