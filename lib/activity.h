/* activity.h - what threads do, by function: they run, or wait for something.
 */
#ifndef ACTIVITY_H
#define ACTIVITY_H

#include "intern.h"
#include "trie.h"
#include "waits.h"

#define WAIT_CLASSES (WAIT_IDLE + 1)

/*
 * The stacks of a trie that grows, with the weight of what ends in each
 * frame.  What is below the weights is set by activity_update().  All zero at
 * the start; activity_init(), activity_free().
 */
struct activity {
	const struct trie *trie;
	struct intern *names;
	const struct waits *waits;

	double *weight;  /* by frame: the caller's, for trie->n frames */
	uint8_t *class;  /* by frame: what a stack does that ends there */
	uint32_t *who;   /* by frame: the callee-most one that does not wait */
	double *through; /* by frame: of all stacks of the shown classes */

	struct intern *function; /* names without suffixes */
	uint32_t *function_of;   /* by frame */
	bool *is_first;          /* by frame: no caller is the same function */

	/* By class, and by function in it: where stacks are, and pass. */
	double sum[WAIT_CLASSES];
	double *self[WAIT_CLASSES], *total[WAIT_CLASSES];
	bool shown[WAIT_CLASSES]; /* the caller's */

	/* Below here is activity.c's own. */
	uint32_t frames, names_known;
	size_t cap[6], function_cap;
	uint32_t *function_of_name;
	size_t function_of_name_cap;
};

void activity_init(struct activity *a, const struct trie *trie,
		   struct intern *names, const struct waits *waits);
void activity_free(struct activity *a);

/* Make room for the weights of frames that are new, which are zero. */
void activity_grow(struct activity *a);

/* Sum up the weights. */
void activity_update(struct activity *a);

/* The name of a frame; of the root, "all". */
static inline struct str
activity_name(const struct activity *a, uint32_t frame)
{
	return frame == 0 ? STR("all") :
			    intern_name(a->names, a->trie->frame[frame].name);
}

#endif
