/* scale.h - counts scaled to another total, exactly. */
#ifndef SCALE_H
#define SCALE_H

#include "count.h"

/*
 * Scale n counts so that they add up to total: each to the multiple below its
 * exact share, and what is left goes to the largest remainders, of equal ones
 * to the first (Hamilton's method).  Units are not divided unless one of the
 * counts or the total is; then it is millionths.  All stay zero if they are.
 *
 * False, and nothing done, if millionths are needed and do not fit 64 bits.
 */
bool scale_counts(struct count *count, size_t n, struct count total);

#endif
