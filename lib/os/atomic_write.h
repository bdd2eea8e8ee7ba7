/* atomic_write.h - replace a file: readers see it whole or not at all. */
#ifndef ATOMIC_WRITE_H
#define ATOMIC_WRITE_H

#include "os/helper.h"

#include <stdio.h>

/*
 * A helper process opens and renames files, so that the caller needs no right
 * to do that in the meantime.  Set path, and the rest to zero.  Any failure
 * ends the program with status 2: the old file stays, and no other file.
 */
struct atomic_write {
	const char *path;

	/* Private to atomic_write.c. */
	struct helper helper;
	FILE *out;
};

/*
 * Start the helper, before the sandbox, and stop it.  It is stopped as well
 * when the program ends.  Only one at a time.
 */
void atomic_write_start(struct atomic_write *w);
void atomic_write_stop(struct atomic_write *w);

/*
 * Begin to write; once or several times.  The stream writes to PATH.PID.part,
 * which atomic_write_end() renames to PATH.  If PATH is a device or a pipe, it
 * is written in place.
 */
FILE *atomic_write_begin(struct atomic_write *w);
void atomic_write_end(struct atomic_write *w);

#endif
