/*
 * svgheat.h - the heat map of a picture: when its samples were taken.
 *
 * Under the drawing is a table with numbers as those of svgtable.h:
 *
 *	version (1), number of columns, rows, and samples
 *	what each sample counts, or 0 if they differ
 *	for each cell, in the order of time: how many samples it has
 *	for each sample: the place of its frame among those of svgtable.h,
 *	    less that of the sample before it in the same cell
 *	if they differ: what each sample counts
 */
#ifndef SVGHEAT_H
#define SVGHEAT_H

#include "heat.h"

/*
 * The most columns there is room for between margins so far apart, px: each
 * wide enough to be pointed at or, if they are asked for, to be seen.
 */
uint32_t svgheat_columns(double width, bool asked);

/* How high it is, px, with a line for the script or without. */
double svgheat_height(const struct heat *h, bool has_script);

/*
 * Append what is there without a script, its top at y.  The clock may be
 * empty, and the width is that of the picture between its margins.
 */
void svgheat_draw(struct buf *out, const struct heat *h, double y, double width,
		  struct str clock);

/* Append the table, the counts times ten to the scale. */
void svgheat_table(struct buf *out, const struct heat *h, int scale);

#endif
