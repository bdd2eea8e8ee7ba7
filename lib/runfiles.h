/* runfiles.h - sorted runs in temporary files, which become one profile. */
#ifndef RUNFILES_H
#define RUNFILES_H

#include "foldout.h"

/* All zero at the start; the files are gone with runfiles_free(). */
struct runfiles {
	int counts; /* a line, 1 or 2 */

	/* Below here is runfiles.c's own. */
	int *fd;
	size_t n, cap;
};

/*
 * Begin a run: what is given to *out, sorted, is its text.  End it, or the
 * program with status 2 if it could not be written.
 */
void runfiles_begin(struct runfiles *r, struct foldout *out);
void runfiles_end(struct runfiles *r, struct foldout *out);

/*
 * Write the sums of all runs, which are gone then.  Ends the program with
 * status 2 where one exceeds 64 bits.
 */
void runfiles_write(struct runfiles *r, struct foldout *out);

void runfiles_free(struct runfiles *r);

#endif
