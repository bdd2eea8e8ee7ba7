/* diffcolour.h - colours of a change: blue shrank, red-orange grew. */
#ifndef DIFFCOLOUR_H
#define DIFFCOLOUR_H

#include "palette.h"

/* Eight steps to either side of no change. */
enum { DIFF_STEPS = 8, DIFF_SAME = DIFF_STEPS, DIFF_COLOURS = 17 };

/* The colour of a step, from 0, shrank most, to 16, grew most. */
struct colour diff_colour(uint32_t step);

/*
 * The step of a change, if max is the greatest there is either way: by the
 * square root, so that one great change does not hide the others.
 */
uint32_t diff_step(double change, double max);

#endif
