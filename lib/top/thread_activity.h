/* thread_activity.h - what threads do, by function: run, or wait. */
#ifndef THREAD_ACTIVITY_H
#define THREAD_ACTIVITY_H

#include "base/intern.h"
#include "folded/waits.h"
#include "tree/trie.h"

#define WAIT_CLASSES (WAIT_IDLE + 1)

/*
 * Weights of the stacks of a trie that grows, and their sums by class and
 * function.  The caller sets weight and shown, thread_activity_update() the
 * rest.
 */
struct thread_activity {
	const struct trie *trie;
	struct intern *names;
	const struct waits *waits; /* NULL: all stacks run */

	/* By frame: */
	double *weight;    /* of the stack that ends there */
	uint8_t *class;    /* what that stack does */
	uint32_t *actor;   /* its innermost frame that is not part of waiting */
	double *inclusive; /* weight of the stacks of shown classes */
	uint32_t *function_of;
	bool *is_outermost; /* no caller is the same function */

	struct intern *function; /* names without suffixes */

	/* By class, and by function within it: */
	double sum[WAIT_CLASSES];
	double tasks; /* sum of the stacks of tasks, which are no threads */
	double *self[WAIT_CLASSES], *total[WAIT_CLASSES];
	bool shown[WAIT_CLASSES];

	/* Private to thread_activity.c. */
	uint32_t frames, nnames;
	size_t cap[6], function_cap;
	uint32_t *function_of_name;
	size_t function_of_name_cap;
};

/*
 * Initialize for a trie whose frames have these names.  All arguments are
 * borrowed; without waits, all stacks run.  Release with
 * thread_activity_free().
 */
void thread_activity_init(struct thread_activity *a, const struct trie *trie,
			  struct intern *names, const struct waits *waits);
void thread_activity_free(struct thread_activity *a);

/* Add the new frames of the trie, with weight 0. */
void thread_activity_grow(struct thread_activity *a);

/* Sum up the weights. */
void thread_activity_update(struct thread_activity *a);

/* The name of a frame; "all" for the root. */
static inline struct str
thread_activity_name(const struct thread_activity *a, uint32_t frame)
{
	return frame == 0 ? STR("all") :
			    intern_name(a->names, a->trie->frame[frame].name);
}

#endif
