/* svgread.h - the stacks in the table of a picture; svgtable.h. */
#ifndef SVGREAD_H
#define SVGREAD_H

#include "arena.h"
#include "count.h"

/* A table being read.  Only what stands before the blank line is public. */
struct svgread {
	int counts;        /* one or two */
	bool lossy;        /* frames were summed up, or stacks reversed */
	struct str header; /* metadata line without LF, may be empty */
	uint32_t *stack;   /* numbers of the names, root first */
	size_t depth;
	struct count count[2];

	struct str up, name, self[2]; /* what is left of the columns */
	struct str *names;
	uint64_t nnames, left;
	int scale;
	size_t cap;
	struct arena text;
};

/*
 * Begin to read a table, of which there are bytes, as long as r is used.
 * False if it is damaged, or of another version; to be closed even so.
 */
bool svgread_open(struct svgread *r, struct str bytes);

/*
 * The next stack with a count of its own, valid until the next call: 1, or 0
 * at the end, or -1 if the table is damaged.
 */
int svgread_next(struct svgread *r);

/* The name of a number in the stack. */
struct str svgread_name(const struct svgread *r, uint32_t id);

void svgread_close(struct svgread *r);

#endif
