/* thread_call.h - the system call that a thread waits in. */
#ifndef THREAD_CALL_H
#define THREAD_CALL_H

#include "sampler/live_threads.h"

/*
 * The name of the call, of a process of a machine; empty if there is none.  A
 * call that was restarted as restart_syscall(2) has its first name, if
 * live_threads_describe() has found out where the thread waits.
 */
struct str thread_call_name(const struct arch *arch,
			    const struct live_thread *t,
			    const struct proc_call *call);

/*
 * Whether the kernel restarts the call after a ptrace stop.  Otherwise a stop
 * makes it fail with EINTR, and the program sees that.
 */
bool thread_call_restarts(const struct arch *arch, const struct live_thread *t,
			  const struct proc_call *call);

#endif
