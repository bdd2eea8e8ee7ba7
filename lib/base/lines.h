/* lines.h - index of the lines in blocks of text. */
#ifndef LINES_H
#define LINES_H

#include "base/str.h"

/* All zero is an empty index; release with lines_free(). */
struct lines {
	size_t *begin; /* offsets in their blocks, each followed by its end */
	size_t n, cap;
};

/*
 * Append the offset of each line of a block, and of its end.  Returns the
 * number of lines.  The block ends in LF, and the 64 bytes after it must be
 * readable.
 */
size_t lines_add(struct lines *l, struct str block);

/* The same for one block, in place of all others; n is then without its end. */
static inline void
lines_find(struct lines *l, struct str block)
{
	l->n = 0;
	l->n = lines_add(l, block);
}

void lines_free(struct lines *l);

#endif
