/*
 * waits.h - whether a thread runs or waits, and for what, told by the frames
 * at the leaf of its stack; waits(5).
 */
#ifndef WAITS_H
#define WAITS_H

#include "str.h"

enum wait_class {
	WAIT_NONE, /* runs */
	WAIT_LOCK, /* for somebody who holds a lock */
	WAIT_IO,   /* for a file, a pipe or a peer */
	WAIT_IDLE  /* for work */
};

struct waits;

/*
 * Read a list; NULL is the one of the installation, or the built-in one
 * where there is none.  Ends the program with status 2 if the file cannot be
 * read or a line of it is not understood.
 */
struct waits *waits_new(const char *path);
void waits_free(struct waits *w);

/*
 * One frame, by its name in folded text, in a walk that begins at the leaf
 * with *found as WAIT_NONE.  False if the walk is at its end, and *found is
 * what the thread does:
 *
 *	for (i = n; i > 0 && waits_step(w, frame[i - 1], &found); i--)
 *		continue;
 */
bool waits_step(const struct waits *w, struct str frame,
		enum wait_class *found);

#endif
