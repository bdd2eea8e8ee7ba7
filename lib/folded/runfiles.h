/* runfiles.h - sorted runs in temporary files, merged into one profile. */
#ifndef RUNFILES_H
#define RUNFILES_H

#include "folded/foldout.h"
#include "io/spill.h"

/*
 * All zero but for counts at the start.  runfiles_free() deletes the files.
 */
struct runfiles {
	int counts; /* per line, 1 or 2 */

	/* Private. */
	struct spill file; /* the run being written */
	int *fd;           /* finished runs */
	size_t n, cap;
};

/* Begin a run: initialize *out, to which the caller writes sorted stacks. */
void runfiles_begin(struct runfiles *r, struct foldout *out);

/* End the run.  If it cannot be written, end the program with status 2. */
void runfiles_end(struct runfiles *r, struct foldout *out);

/*
 * Add up all runs, write the result and delete the runs.  If a sum exceeds 64
 * bits, end the program with status 2.
 */
void runfiles_write(struct runfiles *r, struct foldout *out);

void runfiles_free(struct runfiles *r);

#endif
