/* size_factor.h - the size factor between two sides. */
#ifndef SIZE_FACTOR_H
#define SIZE_FACTOR_H

#include "diff/sample_matrix.h"

/*
 * The ratio of exposures, after / before, at which most functions are
 * unchanged.  It starts as the weighted median of the ratios of the functions'
 * own samples.  Then it is the ratio of the sums over the functions that agree
 * with it.
 *
 * Return 0 if fewer than five functions, or not more than half of them, agree.
 * *error receives the standard error of the logarithm.
 */
double size_factor_ratio(const struct sample_matrix *m, double *error);

#endif
