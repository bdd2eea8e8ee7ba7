/* replace.h - a file written anew, that readers see whole or not at all. */
#ifndef REPLACE_H
#define REPLACE_H

#include "buf.h"

#include <stdio.h>

/*
 * All zero but for path at the start.  Ends the program with status 2 if
 * anything fails; then what was there is still there, and nothing else.
 */
struct replace {
	const char *path;

	/* Below here is replace.c's own. */
	struct buf part; /* where it is written; empty: in its place */
	FILE *out;
};

/*
 * Begin to write, one file at a time.  The new file is beside the old one,
 * PATH.PID.part, and takes its place at the end; what is no regular file is
 * written itself.
 */
FILE *replace_begin(struct replace *r);
void replace_end(struct replace *r);

/* Whether there will be a new file, in the same folder. */
bool replace_is_beside(const char *path);

#endif
