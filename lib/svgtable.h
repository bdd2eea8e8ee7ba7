/*
 * svgtable.h - all frames of a picture in few bytes.
 *
 * Numbers are LEB128: seven bits a byte, the lowest first, the highest bit
 * set in all bytes but the last.  In this order:
 *
 *	version (1), flags, scale, length of the header and the header: a
 *	    metadata line of folded(5) without its LF
 *	number of names, number of frames
 *	for each name, sorted by bytes: how many bytes it shares with the one
 *	    before, how many follow, these
 *	for each name: its colour
 *	for each frame but the root, callers before callees, left to right:
 *	    column 1: how many frames up from the one before its caller is
 *	    column 2: its name
 *	    column 3: what it has itself, times ten to the scale
 *	    column 4: the same before, if flag 1 (a diff)
 *	    column 5: if flag 8 (a chart), what its caller had itself before
 *	        it, times ten to the scale
 *	    column 6: if flag 2, for each frame that has siblings: how many of
 *	        those to its left came later in the input
 */
#ifndef SVGTABLE_H
#define SVGTABLE_H

#include "svgnames.h"

/* Flags; a table that is lossy is not all that was read. */
enum {
	SVGTABLE_TWO = 1,
	SVGTABLE_ORDER = 2,
	SVGTABLE_LOSSY = 4,
	SVGTABLE_LEAD = 8
};

/* Decimal places the counts of a finished tree need: 0 to 6. */
int svgtable_scale(const struct tree *t);

/* Append a count as a decimal number times ten to the scale. */
void svgtable_scaled(struct buf *out, struct count c, int scale);

/* Append a number, or a count as one times ten to the scale, as LEB128. */
void svgtable_number(struct buf *out, uint64_t n);
void svgtable_count(struct buf *out, struct count c, int scale);

/* Append the table of a finished tree.  More flags may be given. */
void svgtable_add(struct buf *out, const struct tree *t,
		  const struct svgnames *names, unsigned flags,
		  struct str header);

/*
 * Append an element of a name that holds a table, as base64, if it may pack
 * and that pays compressed.
 */
void svgtable_embed(struct buf *out, const char *name, struct str table,
		    bool pack);

#endif
