/*
 * waits.h - whether a thread runs or waits, and for what, by the frames at the
 * leaf of its stack; waits(5).
 */
#ifndef WAITS_H
#define WAITS_H

#include "base/str.h"

enum wait_class {
	WAIT_NONE, /* runs */
	WAIT_LOCK, /* waits for the owner of a lock */
	WAIT_IO,   /* waits for a file, a pipe or a peer */
	WAIT_IDLE  /* waits for work or for time to pass */
};

struct waits;

/*
 * Read a list of functions.  NULL is the installed list, or the built-in one if
 * none is installed.  If the file cannot be read or has a malformed line, end
 * the program with status 2.
 */
struct waits *waits_new(const char *path);
void waits_free(struct waits *w); /* may be NULL */

/*
 * Classify a thread by walking its frames, given as names in folded text, from
 * the leaf.  *found starts as WAIT_NONE and is the class when the walk ends.
 * False if the walk is at its end:
 *
 *	for (i = n; i > 0 && waits_step(w, frame[i - 1], &found); i--)
 *		continue;
 */
bool waits_step(const struct waits *w, struct str frame,
		enum wait_class *found);

#endif
