/* live_threads.h - a running process and the list of its threads. */
#ifndef LIVE_THREADS_H
#define LIVE_THREADS_H

#include "interp/interp.h"
#include "sampler/cpu_share.h"
#include "sampler/live_process.h"
#include "sampler/stack_cache.h"
#include "sampler/thread_state.h"
#include "sampler/wait_cause.h"

/* What sampler.c keeps about a thread during a round. */
struct thread_round {
	uint64_t time; /* when the state was read, CLOCK_MONOTONIC in ns */
	struct thread_state state;
	bool long_wait; /* its cached stack is still valid; state is old */
	bool selected;  /* for a sample that has not been captured yet */
};

/* The wait that a thread's state and place in the kernel describe. */
struct thread_description {
	uint64_t time; /* in ns; 0: of none */
	struct proc_call call;
	bool is_older; /* the thread has run since */
};

struct live_thread {
	struct thread_state_files files;
	bool gone;
	/* As they were described last; 'S' replaces 'R' in state. */
	char state;
	struct buf name, wchan;
	struct thread_description described;
	int64_t tracer;    /* that holds it in state 't' */
	int64_t inner_tid; /* in its own pid namespace; 0: not read yet */
	uint64_t first_seen, name_time; /* when the name was read, in ns */

	struct thread_round round;   /* written by sampler.c only */
	struct stack_cache cache;    /* written by capture.c only, */
	struct interp_thread interp; /* and so is this */
	struct wait_cause cause;
	struct cpu_share cpu;
};

struct live_threads {
	struct live_process process;
	struct interp *interp;       /* for capture.c */
	struct live_thread **thread; /* sorted by tid */
	size_t n, cap;
	bool stale; /* a thread of the list has gone */
	/* Scratch space of live_threads_list(). */
	struct live_thread **next;
	size_t next_cap;
	int64_t *tid;
	size_t tid_cap;
};

struct live_threads *live_threads_new(int64_t pid);
void live_threads_free(struct live_threads *l);

/* Whether there is a process with this id. */
bool live_threads_exists(int64_t pid);

/*
 * Update the list: add new threads, and free those that have gone.  False if
 * the process has ended.
 */
bool live_threads_list(struct live_threads *l);

/* The thread of the list that has this id, or NULL. */
struct live_thread *live_threads_find(const struct live_threads *l,
				      int64_t tid);

/*
 * The id of a thread in the innermost pid namespace that it is in, by which its
 * own process knows it, and the thread with such an id, or NULL.
 */
int64_t live_threads_inner_tid(struct live_thread *t);
struct live_thread *live_threads_find_inner(const struct live_threads *l,
					    int64_t inner_tid);

/*
 * The name of a thread: the system's; or the runtime's, if the system's is only
 * that of the process or the first 15 bytes of the runtime's, and the thread is
 * not its first.
 */
struct str live_threads_name(const struct live_threads *l,
			     const struct live_thread *t);

/* The thread has gone.  Its tid may belong to another one in the next list. */
void live_threads_set_gone(struct live_threads *l, struct live_thread *t);

/*
 * Read the name of a thread, its state, and where in the kernel it waits.  A
 * stop by this process is no state.
 */
void live_threads_describe(struct live_thread *t);

/*
 * The same at a time in ns for a thread that waits.  If it has waited in the
 * same place within the last 100 ms, that description serves this wait, too: to
 * read one takes longer than to see that the thread has run.
 */
void live_threads_describe_wait(struct live_thread *t,
				const struct proc_call *call, uint64_t now);

/* The thread still waits: describe it if its description is older than that. */
void live_threads_describe_again(struct live_thread *t, uint64_t now);

/*
 * Describe the thread again, for a new name; false if it is too early for that.
 * Threads get a name soon after they start, or later, so the interval grows
 * with the age of the thread, up to a second.
 */
bool live_threads_retry_name(struct live_thread *t);

/* Whether the thread has ended, or is about to. */
bool live_threads_has_ended(struct live_thread *t);

#endif
