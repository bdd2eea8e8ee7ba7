/* runtree.h - stacks merged into a tree of runs of frames, while it grows. */
#ifndef RUNTREE_H
#define RUNTREE_H

#include "base/count.h"
#include "base/intern.h"
#include "tree/childslots.h"

#include <stdbool.h>

/*
 * Frames, one after another: each is the only callee of the one before it, and
 * no stack ends before the last one.  In a million different stacks, a run has
 * four frames on average, and most work is done once for all of them.
 */
struct run {
	uint32_t first, last; /* frames */
	uint32_t name;        /* of the first frame */
	uint32_t parent;      /* the last frame of the callers' run */
	uint32_t child, next; /* runs, newest first; 0: none */
};

/*
 * Frames have numbers in the order of appearance, which never change.  Frame
 * 0, alone in run 0, is the root and has no name.  A run that is split keeps
 * its number for the callers.
 */
struct runtree {
	const struct intern *names; /* owned by the caller */
	uint32_t *name;             /* of each frame: number in that table */
	uint32_t frames, n; /* number of frames and of runs, with the root */
	struct run *run;
	int counts; /* per stack, one or two */
	bool chart;
	bool record_ends; /* option: fill end */

	/*
	 * For each run, the own counts of its last frame: units, and
	 * millionths, NULL if all are 0.  The root has the sum of all stacks.
	 */
	uint64_t *units[2];
	uint32_t *micro[2];
	uint32_t *end; /* the last frame of each stack */
	size_t ends;
	struct count *lead; /* of a chart: see tree_lead() */

	/* Private. */
	uint8_t *has_slots; /* a bit for each run, see runtree_came_sorted() */
	struct childslots slots;
	size_t name_cap, run_cap, units_cap[2], micro_cap[2], ends_cap;
	size_t lead_cap, has_slots_cap;
	struct runtree_batch *batch;
};

/*
 * An empty tree for stacks of one or two counts.  In a chart, a stack joins
 * only the stack just before it.
 */
struct runtree *runtree_new(const struct intern *names, int counts, bool chart);
void runtree_free(struct runtree *t); /* may be NULL */

/*
 * Add a stack of n frames, at least one, root first.  If the total would exceed
 * 64 bits, return false and add nothing.  Ends the program with status 2 at 4 G
 * frames.
 */
bool runtree_add(struct runtree *t, const uint32_t *id, size_t n,
		 const struct count *count);

/*
 * After the last stack: sort the runs so that callers come before callees and
 * all that a run calls follows it.  parent becomes the number of a run.
 */
void runtree_finish(struct runtree *t);

/* The counts of a run, see above. */
static inline struct count
runtree_count(const struct runtree *t, uint32_t i, int column)
{
	return (
	    struct count){ t->units[column] == NULL ? 0 : t->units[column][i],
			   t->micro[column] == NULL ? 0 : t->micro[column][i] };
}

/*
 * Whether the children of a run came sorted by name, or, in a chart, in time.
 * All do if the input is sorted.  Then a new child that sorts after the newest
 * one needs no lookup.  The children of other runs have slots in a hash table,
 * all but the newest one.
 */
static inline bool
runtree_came_sorted(const struct runtree *t, uint32_t run)
{
	return (t->has_slots[run / 8] >> run % 8 & 1) == 0;
}

void runtree_set_count(struct runtree *t, uint32_t i, int column,
		       struct count c);

#endif
