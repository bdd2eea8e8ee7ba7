/* doubt.h - why one run a side says little. */
#ifndef DOUBT_H
#define DOUBT_H

#include "diff/significance.h"

/*
 * With one run a side: why the result needs more runs, a string constant; or
 * NULL.
 */
const char *doubt_reason(const struct significance *sig);

#endif
