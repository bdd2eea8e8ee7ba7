/* wait_cause.h - what a blocked thread waits for, as far as /proc and its
 * memory show it. */
#ifndef WAIT_CAUSE_H
#define WAIT_CAUSE_H

#include "sampler/thread_state.h"

struct live_thread;
struct live_threads;

/* All zero is unknown; release with wait_cause_free(). */
struct wait_cause {
	/*
	 * A word for the frame "state:"; empty if the system call says all
	 * that is known.
	 */
	const char *label;
	const char *call; /* of the runtime, in which it waits; NULL: none */
	int64_t owner;    /* of the lock, or the thread that is joined; or 0 */
	/*
	 * File that a thread in state D waits for, or class of the object that
	 * a thread of a runtime waits for; or empty.
	 */
	struct buf file;
	uint64_t since; /* when this wait was seen first, ns */

	/* Private to wait_cause.c: the wait that it is about. */
	bool is_known;
	uint64_t run_count;
	char state;
};

/*
 * Find out why a thread waits that was captured in this state.  If it has run
 * since, the cause is unknown.  A lock may change hands while the thread does
 * not run, so its owner is read each time.
 */
void wait_cause_update(struct live_threads *l, struct live_thread *t,
		       enum thread_state_counter counter,
		       const struct thread_state *state);

/* Whether it is about the wait in this state. */
bool wait_cause_is_known(const struct wait_cause *c,
			 const struct thread_state *state);

void wait_cause_free(struct wait_cause *c);

#endif
