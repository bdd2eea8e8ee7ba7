/* follow.h - waiting for inputs that others write, and for signals. */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "input.h"

/* Whether it is a regular file; whether that has more than was read. */
bool follow_is_file(int fd);
bool follow_has_grown(int fd);

/*
 * Wait until one of n descriptors can be read, at most so many ms, -1 for ever;
 * set which can.  A regular file can when it has grown, which is looked at ten
 * times a second.  A signal ends it, too.
 */
void follow_wait(const int *fd, bool *ready, size_t n, int ms);

/* Whether a descriptor can be read now. */
bool follow_is_ready(int fd);

/*
 * For input_await(), of what is read for as long as it is written: what was
 * printed goes out before there is a wait.
 */
enum input_wait follow_input(void *arg, int fd);

/*
 * Whether an input that is awaited has nothing at hand, and nothing comes for
 * so many ms.
 */
bool follow_is_quiet(const struct input *in, int ms);

/*
 * From now on signals come while follow_wait() waits, or looks.  There is one
 * process, so there is one of these.
 */
void follow_signals(void);

/* Whether SIGUSR1 came since this was asked; whether SIGTERM or SIGINT did. */
bool follow_was_asked(void);
bool follow_is_over(void);

#endif
