/* largest.h - the largest differences that are not significant. */
#ifndef LARGEST_H
#define LARGEST_H

#include "diff/significance.h"

/*
 * Store in sig->largest the functions whose shares differ most, beside those
 * that sig->change has, the largest first.  A function whose difference
 * another one explains is not in the list.
 */
void largest_find(struct significance *sig);

#endif
