/* tracee.c - one thread that we trace, until it goes on. */
#include "sampler/tracee.h"

#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

pid_t
tracee_tid(const struct tracee *t)
{
	return t->executed ? t->pid : t->tid;
}

/*
 * A thread that executes a program gets the id of its process and is still
 * seized, but no longer interrupted: the next signal would stop it for good.
 * So interrupt it again.
 */
pid_t
tracee_poll(struct tracee *t, int *status)
{
	const pid_t got = waitpid(tracee_tid(t), status, __WALL | WNOHANG);

	if (got >= 0 || t->executed || t->tid == t->pid ||
	    ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL) != 0)
		return got;
	t->executed = true;
	return 0;
}

/*
 * The signal that the thread was about to get when it stopped.  There is none
 * if it stopped for PTRACE_INTERRUPT or job control.
 */
static int
pending_signal(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
}

bool
tracee_detach(pid_t tid, int status)
{
	return ptrace(PTRACE_DETACH, tid, NULL,
		      (void *)(intptr_t)pending_signal(status)) == 0;
}
