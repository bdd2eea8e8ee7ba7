/* lines.h - index of the lines in a block of text. */
#ifndef LINES_H
#define LINES_H

#include "base/str.h"

/* All zero is an empty index; release with lines_free(). */
struct lines {
	size_t *begin; /* offset of each line; begin[n] is the end */
	size_t n, cap;
};

/*
 * Find the lines of a block, in place of those of an earlier block.  The block
 * ends in LF, and the 64 bytes after it must be readable.
 */
void lines_find(struct lines *l, struct str block);

void lines_free(struct lines *l);

#endif
