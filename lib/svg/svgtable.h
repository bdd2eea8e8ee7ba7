/*
 * svgtable.h - the table of all frames in a picture, in few bytes.
 *
 * Numbers are LEB128: seven bits a byte, low bits first, the high bit set in
 * all bytes but the last.  The order is:
 *
 *	version (1), flags, scale, length of the header and the header: a
 *	    metadata line of folded(5) without its LF
 *	number of names, number of frames
 *	for each name, sorted by bytes: number of bytes shared with the name
 *	    before, number of further bytes, these bytes
 *	for each name: its colour
 *	for each frame but the root, callers before callees, left to right:
 *	    column 1: distance of its caller above the frame before
 *	    column 2: its name
 *	    column 3: its self count, times ten to the scale
 *	    column 4: the same before, if flag 1 (a diff)
 *	    column 5: if flag 8 (a flame chart), the self count of its caller
 *	        before it, times ten to the scale
 *	    column 6: if flag 2, for each frame with siblings: the number of
 *	        siblings to its left that came later in the input
 */
#ifndef SVGTABLE_H
#define SVGTABLE_H

#include "svg/svgnames.h"

/* Flags.  A lossy table does not hold everything that was read. */
enum {
	SVGTABLE_TWO = 1,
	SVGTABLE_ORDER = 2,
	SVGTABLE_LOSSY = 4,
	SVGTABLE_LEAD = 8
};

/* Return the decimal places that the counts of a finished tree need, 0 to 6. */
int svgtable_scale(const struct tree *t);

/* Append a count, times ten to the scale, as a decimal number. */
void svgtable_scaled(struct buf *out, struct count c, int scale);

/* Append a number, or a count times ten to the scale, as LEB128. */
void svgtable_number(struct buf *out, uint64_t n);
void svgtable_count(struct buf *out, struct count c, int scale);

/* Append the table of a finished tree.  flags are added to its own. */
void svgtable_add(struct buf *out, const struct tree *t,
		  const struct svgnames *names, unsigned flags,
		  struct str header);

/*
 * Append an element called name that holds the table as base64; compressed if
 * pack is set and compression pays.
 */
void svgtable_embed(struct buf *out, const char *name, struct str table,
		    bool pack);

#endif
