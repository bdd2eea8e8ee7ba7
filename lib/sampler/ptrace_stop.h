/* ptrace_stop.h - stop running threads for as long as a copy of them takes. */
#ifndef PTRACE_STOP_H
#define PTRACE_STOP_H

#include "arch/arch.h"
#include "base/buf.h"
#include "interp/interp_stack.h"

/*
 * For each thread: PTRACE_SEIZE, PTRACE_INTERRUPT, copy registers and stack,
 * PTRACE_DETACH.  If we are killed in between, the kernel lets the thread go
 * on; after PTRACE_ATTACH it would leave it stopped, so that is never used.
 *
 * A thread is pending from the interrupt until it is seen to have stopped.
 */
struct tracer;

/*
 * There is one tracer at a time: it handles SIGCHLD, which comes when a thread
 * has stopped, and blocks it.  If we may, threads are stopped at a real-time
 * priority, so that nobody else gets our CPU in that time.
 */
struct tracer *ptrace_stop_new(void);
void ptrace_stop_free(struct tracer *tr);

/*
 * A copy of a thread; the caller frees its stack and its frames of an
 * interpreter, or uses them again.
 */
struct stopped_thread {
	struct arch_thread state;
	struct buf stack; /* starting at the stack pointer */
	struct interp_stack vm;
};

/*
 * Copies the memory of a thread while it is stopped: fills in its stack and vm.
 * Its state is known.
 */
struct ptrace_stop_copier {
	void (*copy)(void *arg, int64_t tid, struct stopped_thread *thread);
	void *arg;
};

enum ptrace_stop_result {
	PTRACE_STOP_DONE,    /* it was copied */
	PTRACE_STOP_GONE,    /* there is no such thread any more */
	PTRACE_STOP_DENIED,  /* errno says why: EPERM if a debugger traces it */
	PTRACE_STOP_PENDING, /* it has not stopped yet */
	PTRACE_STOP_32BIT,   /* a process of 32 bits: it was not copied */
};

/*
 * Interrupt a thread of a process.  The result is PTRACE_STOP_PENDING, or why
 * the thread cannot be stopped.
 */
enum ptrace_stop_result ptrace_stop_interrupt(struct tracer *tr, int64_t pid,
					      int64_t tid);

/*
 * Copy a pending thread that has stopped by now, and let it go on.  It gets the
 * signals that came meanwhile, and stays stopped if job control has stopped it.
 * Call this often, because threads stay stopped until then.
 *
 * False if no thread is pending, or none stops before a deadline: a time of
 * CLOCK_MONOTONIC in ns, or 0 to return at once.
 */
bool ptrace_stop_next(struct tracer *tr, uint64_t deadline,
		      const struct ptrace_stop_copier *copier,
		      struct stopped_thread *thread, int64_t *tid,
		      enum ptrace_stop_result *result);

/*
 * A thread that has a CPU stops within this many ns.  A wait that is no longer
 * does not sleep, because the thread would stay stopped while we wake up.
 */
#define PTRACE_STOP_SOON 25000

/*
 * Stop several threads of a process together, and copy them.  A thread that has
 * not stopped after 20 ms stays pending.
 */
struct ptrace_stop_request {
	int64_t tid;
	struct stopped_thread *thread;
	enum ptrace_stop_result result;
};

void ptrace_stop_threads(struct tracer *tr, int64_t pid,
			 const struct ptrace_stop_copier *copier,
			 struct ptrace_stop_request *request, size_t n);

/*
 * Let pending threads go on that have stopped by now, without a copy.  Call
 * this on each SIGCHLD, and once a round: a signal may stand for several
 * threads.
 */
void ptrace_stop_release(struct tracer *tr);

/* Whether a thread is pending, so that ptrace_stop_next() may return it. */
bool ptrace_stop_is_pending(const struct tracer *tr, int64_t tid);

/*
 * From now on, let a timer release pending threads that have stopped, while we
 * do other work for more than a millisecond.  Any call that stops or releases
 * threads, or raises the priority, ends this.  Without pending threads, drop
 * back to normal priority.
 */
void ptrace_stop_background(struct tracer *tr);

/*
 * Like ptrace_stop_background(), but first wait until a CLOCK_MONOTONIC
 * deadline for threads that have not stopped yet, and drop back to normal
 * priority in any case.
 */
void ptrace_stop_drain(struct tracer *tr, uint64_t deadline);

/* Raise our priority, as for a stop: a sleep then ends on time. */
void ptrace_stop_raise_priority(struct tracer *tr);

/* The same at the start of a round, or when SIGCHLD came. */
void ptrace_stop_begin_round(struct tracer *tr);

/* Drop back to normal priority until the next stop if the round takes long. */
void ptrace_stop_limit_priority(struct tracer *tr);

/* How many system calls of the threads ended with EINTR because of a stop. */
uint64_t ptrace_stop_interrupted_calls(const struct tracer *tr);

#endif
