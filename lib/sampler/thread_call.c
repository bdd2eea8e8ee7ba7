/* thread_call.c - the system call that a thread waits in. */
#include "sampler/thread_call.h"

#include "arch/arch.h"

/*
 * A call with a timeout continues as restart_syscall(2) after a stop, with its
 * first arguments.  The kernel function it waits in shows which call it was:
 * futex(2), poll(2), or else one that sleeps.
 */
static struct str
restarted_name(struct str wchan, const struct proc_call *call)
{
	const uint64_t clocks = 16; /* MAX_CLOCKS of linux/time.h */

	if (wchan.len == 0)
		return STR("restart_syscall");
	if (str_search(wchan, STR("futex")) != NULL)
		return STR("futex");
	if (str_search(wchan, STR("poll")) != NULL)
		return STR("poll");
	return call->arg[0] < clocks ? STR("clock_nanosleep") :
				       STR("nanosleep");
}

struct str
thread_call_name(const struct arch *arch, const struct live_thread *t,
		 const struct proc_call *call)
{
	const char *name = arch_call_name(arch, call->number);

	if (call->number < 0)
		return STR("");
	if (name == NULL)
		return STR("unknown");
	if (strcmp(name, "restart_syscall") == 0)
		return restarted_name(buf_slice(&t->wchan), call);
	return str_of(name);
}

/*
 * On Linux 6.18, these calls went on after a ptrace stop, for the rest of their
 * time.  These did not: epoll_wait(2) and its variants, semop(2),
 * sigtimedwait(2), io_getevents(2), and calls that wait for a socket with a
 * timeout, which cannot be seen from outside.
 */
static bool
is_restarted(struct str call)
{
	static const char *const names[] = {
		"futex",         "poll",           "ppoll",           "select",
		"pselect6",      "nanosleep",      "clock_nanosleep", "read",
		"msgrcv",        "wait4",          "flock",           "pause",
		"rt_sigsuspend", "restart_syscall"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (str_eq(call, str_of(names[i])))
			return true;
	}
	return false;
}

bool
thread_call_restarts(const struct arch *arch, const struct live_thread *t,
		     const struct proc_call *call)
{
	struct str name = thread_call_name(arch, t, call);

	/* A stop by job control has interrupted the call already. */
	if (t->state == 'T')
		return true;
	if (t->state == 'D' || call->number < 0 || !is_restarted(name))
		return false;
	return !str_eq(name, STR("read")) ||
	       !thread_state_is_socket(&t->files, call->arg[0]);
}
