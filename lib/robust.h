/* robust.h - how much more was run after than before, by most functions. */
#ifndef ROBUST_H
#define ROBUST_H

#include "rows.h"

/*
 * The ratio of exposures that makes most functions equal, from their own
 * samples: the weighted median of the ratios of functions, then the ratio of
 * the sums of those that do not differ from it.  *error is the standard error
 * of its logarithm.  0 if fewer than five functions, or not most of them,
 * agree.
 */
double robust_ratio(const struct rows *r, double *error);

#endif
