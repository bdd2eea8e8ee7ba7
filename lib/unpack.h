/* unpack.h - what is compressed, read through gzip(1) or zstd(1). */
#ifndef UNPACK_H
#define UNPACK_H

#include "str.h"

/* All zero where nothing is unpacked. */
struct unpack {
	const char *filter;
	int child, feeder; /* it, and who writes to it; 0 if none */
};

/*
 * Run "filter -dc" on what fd gives, of which some was read already: from its
 * start again if it can go back, else those bytes are given to it first.
 * Returns the descriptor of what is unpacked, in place of fd, which is taken.
 * Ends the program with status 2, and a message with the name, if it cannot.
 */
int unpack_begin(struct unpack *u, const char *name, int fd,
		 struct str was_read, char *filter);

/* Wait for it; if all was read, it must have ended well: else status 2. */
void unpack_end(const struct unpack *u, const char *name, bool all);

#endif
