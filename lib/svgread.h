/* svgread.h - the stacks in the table of a picture; svgtable.h. */
#ifndef SVGREAD_H
#define SVGREAD_H

#include "count.h"
#include "intern.h"

/* A table being read.  Only what stands before the blank line is public. */
struct svgread {
	int counts;        /* one or two */
	bool lossy;        /* frames were summed up, or stacks reversed */
	struct str header; /* metadata line without LF, may be empty */
	uint32_t *stack;   /* numbers of the names, root first */
	size_t depth;
	size_t same; /* frames above are those of the stack before */
	struct count count[2];

	struct str up, name, self[2]; /* what is left of the columns */
	uint32_t *id;                 /* of each name, in the user's table */
	uint64_t nnames, left;
	int scale;
	size_t cap, id_cap;
};

/*
 * Begin to read a table, of which there are bytes, as long as r is used, and
 * put its names into another; these share their beginnings, and may take most
 * bytes of memory.  NULL, or why it cannot be read; to be closed even so.
 */
const char *svgread_open(struct svgread *r, struct str bytes,
			 struct intern *names, size_t most);

/*
 * The next stack with a count of its own, valid until the next call: 1, or 0
 * at the end, or -1 if the table is damaged.
 */
int svgread_next(struct svgread *r);

void svgread_close(struct svgread *r);

#endif
