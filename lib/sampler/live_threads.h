/* live_threads.h - a running process and the list of its threads. */
#ifndef LIVE_THREADS_H
#define LIVE_THREADS_H

#include "interp/interp.h"
#include "sampler/live_process.h"
#include "sampler/stack_cache.h"
#include "sampler/thread_state.h"

/* What sampler.c keeps about a thread during a round. */
struct thread_round {
	uint64_t time; /* when the state was read, CLOCK_MONOTONIC in ns */
	struct thread_state state;
	bool long_wait; /* its cached stack is still valid; state is old */
	bool selected;  /* for a sample that has not been captured yet */
};

struct live_thread {
	struct thread_state_files files;
	bool gone;
	/* As they were described last; 'S' replaces 'R' in state. */
	char state;
	struct buf name, wchan;
	uint64_t first_seen, name_time; /* when the name was read, in ns */

	struct thread_round round;   /* written by sampler.c only */
	struct stack_cache cache;    /* written by capture.c only, */
	struct interp_thread interp; /* and so is this */
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

/* The thread has gone.  Its tid may belong to another one in the next list. */
void live_threads_set_gone(struct live_threads *l, struct live_thread *t);

/* Read the name of a thread, its state, and where in the kernel it waits. */
void live_threads_describe(struct live_thread *t);

/*
 * Describe the thread again, for a new name; false if it is too early for that.
 * Threads get a name soon after they start, or later, so the interval grows
 * with the age of the thread, up to a second.
 */
bool live_threads_retry_name(struct live_thread *t);

/* Whether the thread has ended, or is about to. */
bool live_threads_has_ended(const struct live_thread *t);

#endif
