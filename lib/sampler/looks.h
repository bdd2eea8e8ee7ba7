/* looks.h - looks at threads that were interrupted and have not stopped yet. */
#ifndef LOOKS_H
#define LOOKS_H

#include "sampler/live_threads.h"

/*
 * A thread that waits for a CPU stops when it gets one, which may be several
 * rounds later.  Its stack does not change meanwhile, so one copy serves all
 * looks at it since it was interrupted.
 */
struct look {
	struct live_threads *process;
	int64_t tid;
	uint64_t time; /* when the state was read, CLOCK_MONOTONIC in ns */
	struct thread_state state;
};

/* The looks at one thread; private to looks.c. */
struct thread_looks;

/* All zero is empty; release with looks_free(). */
struct looks {
	struct thread_looks *thread; /* table */
	size_t n;                    /* of all threads */
};

void looks_add(struct looks *all, const struct look *look);
void looks_free(struct looks *all);

/* Remove the look at a thread that was added last. */
void looks_drop_last(struct looks *all, int64_t tid);

/* The first look at a thread, or NULL; valid until the next call. */
const struct look *looks_find(const struct looks *all, int64_t tid);

/* The same of any thread; NULL if there is none. */
const struct look *looks_any(const struct looks *all);

/* Remove the first look at a thread; false if there is none. */
bool looks_take(struct looks *all, int64_t tid, struct look *found);

/* Remove the looks at all threads of a process. */
void looks_forget(struct looks *all, const struct live_threads *process);

#endif
