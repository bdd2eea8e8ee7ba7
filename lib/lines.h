/* lines.h - where the lines of a block begin. */
#ifndef LINES_H
#define LINES_H

#include "str.h"

/* The lines of a block; all zero at first, released with lines_free(). */
struct lines {
	size_t *begin; /* of line i; begin[n] is the end of the block */
	size_t n, cap;
};

/*
 * Find the lines of a block, whose last byte is LF and behind which 64 bytes
 * can be read.
 */
void lines_find(struct lines *l, struct str block);

void lines_free(struct lines *l);

#endif
