/* scale.h - scales counts to another total, exactly. */
#ifndef SCALE_H
#define SCALE_H

#include "base/count.h"

/*
 * Scale n counts so that their sum is total, by the largest remainder
 * (Hamilton's) method.  Each count is rounded down, then the largest
 * remainders are rounded up; of equal remainders, the first.  Counts stay
 * whole unless one of them or the total has decimals; then millionths are
 * the unit.  Counts that are all zero stay zero.
 *
 * Return false and change nothing if millionths are needed but exceed 64 bits.
 */
bool scale_counts(struct count *count, size_t n, struct count total);

#endif
