/*
 * svgtime.h - draw the timeline: activity by time and thread.
 *
 * The script reads a table, with numbers encoded as in svgtable.h:
 *
 *	version (1), ns of a tick, number of ticks, of threads, of entries,
 *	the count of each entry, or 0 if they differ
 *	for each thread, the busiest first: length of its label and the label,
 *	    its pid and its tid, each plus one
 *	for each entry, in the order of time: ticks since the one before
 *	for each entry: the index of its thread
 *	for each entry: the index of its leaf in svgtable.h
 *	if counts differ: the count of each entry
 */
#ifndef SVGTIME_H
#define SVGTIME_H

#include "svg/timeline.h"

/* Return the height in px, with or without a line for the script. */
double svgtime_height(const struct timeline *t, bool has_script);

/*
 * Append the static drawing, its top at y.  width is the space between the
 * margins, in px.  The clock may be empty.
 */
void svgtime_draw(struct buf *out, const struct timeline *t, double y,
		  double width, struct str clock);

/* Append the table.  Counts are multiplied by ten to the scale. */
void svgtime_table(struct buf *out, const struct timeline *t, int scale);

#endif
