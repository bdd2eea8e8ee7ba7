/* denoise.h - removes noise from the before column of a two-count profile. */
#ifndef DENOISE_H
#define DENOISE_H

#include "diff/significance.h"
#include "diff/twocount.h"

/*
 * Set the before column of p, for renderers that colour every difference.
 * The after column stays as measured.  The before column equals it, except
 * below changed frames, where it is divided by the ratio of the change.
 * Stacks that are gone keep their before counts, scaled to the exposure of
 * after.
 */
void denoise(const struct significance *sig, struct twocount *p);

#endif
