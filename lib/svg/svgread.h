/* svgread.h - read the stacks in the table of a picture; svgtable.h. */
#ifndef SVGREAD_H
#define SVGREAD_H

#include "base/count.h"
#include "base/intern.h"

/* State of reading a table.  Fields after the blank line are private. */
struct svgread {
	int counts;        /* one or two */
	bool lossy;        /* frames were merged or stacks reversed */
	struct str header; /* metadata line without LF, may be empty */
	uint32_t *stack;   /* numbers of the names, root first */
	size_t depth;
	size_t same; /* leading frames equal to those of the stack before */
	struct count count[2];

	struct str up, name, self[2]; /* unread rest of each column */
	uint32_t *id; /* number of each name in the caller's table */
	uint64_t nnames, left;
	int scale;
	size_t cap, id_cap;
};

/*
 * Start to read a table and add its names to the caller's.  The caller keeps
 * bytes until svgread_close().  Names share prefixes; they may take up to
 * `most` bytes.  Returns NULL, or the reason of a failure; call
 * svgread_close() in both cases.
 */
const char *svgread_open(struct svgread *r, struct str bytes,
			 struct intern *names, size_t most);

/*
 * Read the next stack with a self count; it is valid until the next call.
 * Returns 1, 0 at the end, or -1 if the table is damaged.
 */
int svgread_next(struct svgread *r);

void svgread_close(struct svgread *r);

#endif
