/* viewer.h - a program that shows on the terminal what we write. */
#ifndef VIEWER_H
#define VIEWER_H

#include <stdbool.h>

/* All zero where there is none. */
struct viewer {
	int pid, terminal;
};

/*
 * Start a command of ours, the one beside the program that is argv0 if that
 * has a path; standard output goes to it from here on.  Ends the program with
 * status 2 if it cannot be started.
 */
void viewer_start(struct viewer *v, const char *name, const char *argv0);

/* Whether it has ended; then there is none. */
bool viewer_has_ended(struct viewer *v);

/*
 * Write to the terminal again, when stdout is flushed, and wait until the
 * viewer ends, if there is one.
 */
void viewer_finish(struct viewer *v);

#endif
