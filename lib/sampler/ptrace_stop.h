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
 * There is one tracer at a time: a thread of its own, as in tracer_thread.h,
 * makes all calls of ptrace(2), and copies threads as soon as they have
 * stopped.  NULL and errno if there can be no such thread.
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

enum ptrace_stop_result {
	PTRACE_STOP_DONE,    /* it was copied */
	PTRACE_STOP_GONE,    /* there is no such thread any more */
	PTRACE_STOP_DENIED,  /* a debugger traces it, or we may not */
	PTRACE_STOP_PENDING, /* it has not stopped yet */
	/* It was let go without a copy, because we were busy. */
	PTRACE_STOP_RELEASED,
	PTRACE_STOP_32BIT,   /* a process of 32 bits: it was not copied */
	PTRACE_STOP_HARMFUL, /* it was not interrupted: that would do harm */
};

/*
 * The tracer's thread calls these functions, while the main thread is within
 * one of those below, or between ptrace_stop_begin_sleep() and
 * ptrace_stop_end_sleep().
 */
struct ptrace_stop_copier {
	/*
	 * Copies the memory of a thread while it is stopped: fills in its stack
	 * and vm.  Its state is known.
	 */
	void (*copy)(void *arg, int64_t tid, struct stopped_thread *thread);
	/*
	 * Called just before a thread is interrupted, if the request says so.
	 * The result is PTRACE_STOP_PENDING, or why not to interrupt it.
	 */
	enum ptrace_stop_result (*check)(void *arg, int64_t tid);
	void *arg;
};

/* Call this before any thread is interrupted. */
void ptrace_stop_set_copier(struct tracer *tr,
			    const struct ptrace_stop_copier *copier);

struct ptrace_stop_request {
	int64_t tid;
	bool check;
	struct stopped_thread *thread; /* for ptrace_stop_threads() */
	enum ptrace_stop_result result;
};

/*
 * Interrupt threads of a process.  The results are PTRACE_STOP_PENDING, or why
 * a thread cannot be stopped.  A thread that is pending already, or has
 * stopped since, is not interrupted again.
 */
void ptrace_stop_interrupt(struct tracer *tr, int64_t pid,
			   struct ptrace_stop_request *request, size_t n);

/*
 * Get a thread that is not pending any more, in exchange for the buffers in
 * *thread.  It got the signals that came meanwhile, and stays stopped if job
 * control has stopped it.  Call this often: threads may stay stopped until
 * then.
 *
 * False if there is none, and none stops before a deadline: a time of
 * CLOCK_MONOTONIC in ns, or 0 to return at once.
 */
bool ptrace_stop_next(struct tracer *tr, uint64_t deadline,
		      struct stopped_thread *thread, int64_t *tid,
		      enum ptrace_stop_result *result);

/*
 * Stop several threads of a process together, and copy them.  A thread that has
 * not stopped after 20 ms stays pending.
 */
void ptrace_stop_threads(struct tracer *tr, int64_t pid,
			 struct ptrace_stop_request *request, size_t n);

/* Let the tracer copy threads that have stopped.  Call this often, too. */
void ptrace_stop_yield(struct tracer *tr);

/* While the main thread sleeps, threads are copied as soon as they stop. */
void ptrace_stop_begin_sleep(struct tracer *tr);
void ptrace_stop_end_sleep(struct tracer *tr);

/* Sleep until no thread is pending, or until a CLOCK_MONOTONIC deadline. */
void ptrace_stop_drain(struct tracer *tr, uint64_t deadline);

/*
 * Raise the priority of the main thread: its sleep then ends on time, and it
 * sees states of threads that its own wait for a CPU has not changed.
 */
void ptrace_stop_raise_priority(struct tracer *tr);

/* The same at the start of a round. */
void ptrace_stop_begin_round(struct tracer *tr);

/* Drop back to normal priority if the round takes long, or at once. */
void ptrace_stop_limit_priority(struct tracer *tr);
void ptrace_stop_drop_priority(struct tracer *tr);

/* How many system calls of the threads ended with EINTR because of a stop. */
uint64_t ptrace_stop_interrupted_calls(const struct tracer *tr);

#endif
