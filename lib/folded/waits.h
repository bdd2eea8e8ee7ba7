/*
 * waits.h - whether a thread runs or waits, and for what, by the frames at the
 * leaf of its stack; waits(5).
 */
#ifndef WAITS_H
#define WAITS_H

#include "base/str.h"

enum wait_class {
	WAIT_NONE,    /* runs */
	WAIT_CPU,     /* is ready to run, and waits for a CPU */
	WAIT_LOCK,    /* waits for the owner of a lock */
	WAIT_IO,      /* waits for a file, a pipe or a peer */
	WAIT_UNKNOWN, /* waits, but its functions do not say for what */
	WAIT_STOPPED, /* by job control or a debugger */
	WAIT_IDLE     /* waits for work or for time to pass */
};

struct waits;

/*
 * Read a list of functions.  NULL is the installed list, or the built-in one if
 * none is installed.  If the file cannot be read or has a malformed line, end
 * the program with status 2.
 */
struct waits *waits_new(const char *path);
void waits_free(struct waits *w); /* may be NULL */

/* All zero at the leaf. */
struct wait_walk {
	enum wait_class class; /* so far */
	bool proven; /* by a frame of a sampler, which has looked closer */
};

/*
 * Classify a thread by walking its frames, given as names in folded text, from
 * the leaf.  The class is known when the walk ends.  False if the walk is at
 * its end:
 *
 *	for (i = n; i > 0 && waits_step(w, frame[i - 1], &walk); i--)
 *		continue;
 */
bool waits_step(const struct waits *w, struct str frame,
		struct wait_walk *walk);

#endif
