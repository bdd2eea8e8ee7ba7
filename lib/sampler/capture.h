/* capture.h - capture thread stacks: by a copy while a thread waits, or by a
 * short stop. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "sampler/live_threads.h"
#include "sampler/ptrace_stop.h"

/* The pointers are the caller's and outlive the capture. */
struct capture_options {
	struct tracer *tracer;
	struct resolver *resolver;
	/* Receives functions of interpreters; NULL: native frames only. */
	struct interp_functions *functions;
	bool with_requests; /* frames begin with the request of a server */
	const struct live_process_observers *observers;
	enum thread_state_counter counter;
	bool no_stop;     /* stop no thread: those that run have no stack */
	size_t max_stack; /* copy at most this many bytes of a stack */
	uint64_t wait;    /* how long a round waits for them, in ns */
};

struct capture;

struct capture *capture_new(const struct capture_options *options);
void capture_free(struct capture *c);

/*
 * Capture a thread whose state was just read, and queue it for capture_next():
 *
 * - A thread that has not run since an earlier round has the same stack still.
 * - A thread that waits is copied and unwound at once, without a stop.  A
 *   stop is for those that have run meanwhile, or whose registers are needed,
 *   if it does not make their system calls fail.
 * - A thread that runs is stopped, and queued when it has stopped: maybe in a
 *   later round, if it waits for a CPU.  Its stack does not change meanwhile,
 *   and serves the looks of all rounds until then.
 */
void capture_thread(struct capture *c, struct live_threads *l,
		    struct live_thread *t);

/* Then call this soon, for threads of the process that have to be stopped. */
void capture_interrupt(struct capture *c, struct live_threads *l);

/* Copy the threads that have stopped by now.  Call this often. */
void capture_stopped(struct capture *c);

/* The same, at the start of a round. */
void capture_late(struct capture *c);

/* Wait until all threads have stopped, but not for longer than options say. */
void capture_wait(struct capture *c);

/*
 * The same at the end of all rounds, for this many ns; queue threads that have
 * not stopped by then without a stack.
 */
void capture_finish(struct capture *c, uint64_t wait);

/* Unwind the stack of a task that is on no thread. */
void capture_unwind_task(struct capture *c, const struct stack_copy *copy,
			 struct stack_frames *f);

/* A process is about to be freed; the queue is empty. */
void capture_forget(struct capture *c, const struct live_threads *l);

/*
 * Stop threads of a process together, so that their stacks are from about the
 * same moment, and queue them.
 */
void capture_together(struct capture *c, struct live_threads *l,
		      struct live_thread **thread, size_t n);

struct captured {
	struct live_threads *process;
	struct live_thread *thread;
	uint64_t time;               /* of the look, CLOCK_MONOTONIC in ns */
	struct thread_state state;   /* in which the thread was captured */
	struct stack_frames *frames; /* none if the stack is unknown */
};

/*
 * Get the next captured thread, of any process, unwound; false at the end.
 * Call this until it is false before threads are listed.  Unwinding may read
 * files, so few threads should be about to stop.  Valid until the next call.
 */
bool capture_next(struct capture *c, struct captured *captured);

struct capture_counts {
	uint64_t timed_out; /* looks at threads that could not be copied */
	uint64_t denied;    /* that we could not trace */
	uint64_t bits32;    /* of 32 bits */
};

/*
 * What kinds of interpreters have frames that cannot be shown, and why: one a
 * line.  Valid until the next call of any function.
 */
struct str capture_refusals(const struct capture *c);

struct capture_counts capture_counts(const struct capture *c);

#endif
