/*
 * svgheat.h - draw the heat map of a picture: samples by their time.
 *
 * The script reads a table, with numbers encoded as in svgtable.h:
 *
 *	version (1), number of columns, rows, and samples
 *	the count of each sample, or 0 if they differ
 *	for each cell, in the order of time: its number of samples
 *	for each sample: the index of its leaf in svgtable.h, as a difference
 *	    from the sample before it in the same cell
 *	if counts differ: the count of each sample
 */
#ifndef SVGHEAT_H
#define SVGHEAT_H

#include "svg/heatmap.h"

/*
 * Return the largest number of columns that fit into width px.  Columns are
 * wide enough for a pointer; where the user chose the span (asked), wide
 * enough to see.
 */
uint32_t svgheat_columns(double width, bool asked);

/* Return the height in px, with or without a line for the script. */
double svgheat_height(const struct heatmap *h, bool has_script);

/*
 * Append the static drawing, its top at y.  width is the space between the
 * margins, in px.  The clock may be empty.
 */
void svgheat_draw(struct buf *out, const struct heatmap *h, double y,
		  double width, struct str clock);

/* Append the table.  Counts are multiplied by ten to the scale. */
void svgheat_table(struct buf *out, const struct heatmap *h, int scale);

#endif
