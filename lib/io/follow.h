/* follow.h - wait for inputs that are still written, and for signals. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "io/input.h"

/* Whether fd is a regular file, and whether it has bytes after its offset. */
bool follow_is_file(int fd);
bool follow_has_grown(int fd);

/*
 * Wait until one of n descriptors is readable, or a signal arrives, at most ms
 * milliseconds; -1 is forever.  Sets ready[i] for each descriptor.  A regular
 * file is readable when it has grown, which is checked ten times a second.
 */
void follow_wait(const int *fd, bool *ready, size_t n, int ms);

/* Whether a descriptor is readable now. */
bool follow_is_ready(int fd);

/*
 * A function for input_await() that follows an input as long as it is written.
 * Flushes standard output before it waits.  arg is unused.
 */
enum input_wait follow_input(void *arg, int fd);

/*
 * Whether an input with input_await() has no bytes in its buffer, and gets none
 * for ms milliseconds.
 */
bool follow_is_quiet(const struct input *in, int ms);

/*
 * Handle SIGUSR1, SIGTERM and SIGINT for the whole process: from now on they
 * arrive only in follow_wait().
 */
void follow_signals(void);

/* Whether SIGUSR1 arrived since the last call: it requests a report. */
bool follow_report_requested(void);

/* Whether SIGTERM or SIGINT arrived. */
bool follow_stop_requested(void);

#endif
