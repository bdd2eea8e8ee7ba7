/* diffcolour.h - colours of a diff: blue for less, red-orange for more. */
#ifndef DIFFCOLOUR_H
#define DIFFCOLOUR_H

#include "palette/palette.h"

/* A diverging scale: eight steps on either side of "no change". */
enum { DIFF_STEPS = 8, DIFF_SAME = DIFF_STEPS, DIFF_COLOURS = 17 };

/* The last pale step of a tested change, and its first strong one. */
enum { DIFF_PALE = 3, DIFF_STRONG = 7 };

/* Return the colour of a step: 0 is the largest decrease, 16 the largest
 * increase. */
struct colour diffcolour(uint32_t step);

/*
 * Return the step of a change; max is the largest change of the picture in
 * either direction.  The scale is a square root, so that one large change does
 * not hide the others.
 */
uint32_t diffcolour_step(double change, double max);

/*
 * The same for a picture whose changes were tested: those beyond noise have the
 * strong steps, and others the pale ones.
 */
uint32_t diffcolour_tested_step(double change, double max, bool is_weak);

#endif
