/* launch.h - start the command that is recorded, when its events are open. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

/* All zero but go and failed, which are -1, is no command. */
struct launch {
	int64_t pid; /* of the child; 0 if there is none */
	int go;      /* a pipe that the child reads before it executes */
	int failed;  /* a pipe from which errno of a failed exec comes */
	bool ended;
	int status; /* as of waitpid(2), when it has ended */
};

/*
 * Make the child, which waits; false with errno set.  If the recording goes to
 * standard output, the command writes to standard error instead.  Call this
 * before signals are blocked and descriptors opened: the child keeps what is
 * set.
 */
bool launch_prepare(struct launch *l, char *argv[], bool stdout_taken);

/*
 * Let the child execute the command.  Returns 0, or errno if the command cannot
 * be executed.
 */
int launch_go(struct launch *l);

/* Whether the command has ended; does not wait. */
bool launch_has_ended(struct launch *l);

/* End the command, unless it has ended, and wait for it. */
void launch_stop(struct launch *l);

/* Wait for the end of the command. */
void launch_wait(struct launch *l);

/*
 * The exit status of the command as a shell reports it: 128 plus the number of
 * the signal that ended it.
 */
int launch_status(const struct launch *l);

#endif
