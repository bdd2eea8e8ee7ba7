/* denoise.h - a before column in which only what changed differs. */
#ifndef DENOISE_H
#define DENOISE_H

#include "judge.h"
#include "pairs.h"

/*
 * For pictures that paint every difference: what is after stays as it was
 * measured, before is as much, but below a frame that changed it is less or
 * more by the ratio of the change.  What is gone is as much as it was, scaled
 * to the exposure of after.
 */
void denoise(const struct judge *j, struct pairs *p);

#endif
