/* atomic_write.h - replace a file: readers see it whole or not at all. */
#ifndef ATOMIC_WRITE_H
#define ATOMIC_WRITE_H

#include "base/buf.h"

#include <stdio.h>

/*
 * Set path, and the rest to zero.  Any failure ends the program with status 2:
 * the old file stays, and no other file.
 */
struct atomic_write {
	const char *path;

	/* Private to atomic_write.c. */
	struct buf part; /* name of the new file; empty to write in place */
	FILE *out;
};

/*
 * Begin to write; one file at a time.  The stream writes to PATH.PID.part,
 * which atomic_write_end() renames to PATH.  If PATH is a device or a pipe, it
 * is written in place.
 */
FILE *atomic_write_begin(struct atomic_write *w);
void atomic_write_end(struct atomic_write *w);

/* Whether the path will be replaced by a new file in the same folder. */
bool atomic_write_replaces(const char *path);

#endif
