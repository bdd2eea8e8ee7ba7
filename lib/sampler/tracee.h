/* tracee.h - one thread that we trace, until it goes on. */
#ifndef TRACEE_H
#define TRACEE_H

#include <stdbool.h>
#include <sys/types.h>

/* A thread that was seized and interrupted, and not seen to stop yet. */
struct tracee {
	pid_t pid, tid;
	bool executed; /* it executed a program, so pid is its id now */
};

/* The id that it has now. */
pid_t tracee_tid(const struct tracee *t);

/* Like waitpid(2) with WNOHANG. */
pid_t tracee_poll(struct tracee *t, int *status);

/*
 * Let a stopped thread go on.  False if it has been killed meanwhile: then we
 * still trace it, and have to wait for its end.
 */
bool tracee_detach(pid_t tid, int status);

#endif
