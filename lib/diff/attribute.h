/* attribute.h - finds the frames and functions that explain a difference. */
#ifndef ATTRIBUTE_H
#define ATTRIBUTE_H

#include "diff/significance.h"

/*
 * Turn the significant tests into changes, the largest first, and store them
 * in sig->change.  A frame is a change if it is still significant without the
 * samples that changes below it explain.  A function is a change if it is
 * still significant without the stacks that rarer functions explain.
 *
 * Changes that only moved samples get CHANGE_MOVED.  New and gone names that
 * may be a rename get each other as partner.
 */
void attribute_changes(struct significance *sig);

/*
 * Set *c to the samples of a row, their shares, ratio and interval; its class
 * is CHANGE_UP or CHANGE_DOWN, or that of a row on one side only.
 */
void attribute_measure(struct significance *sig, uint32_t row,
		       struct change *c);

#endif
