/* tree.h - stacks merged into a tree of frames, for drawing. */
#ifndef TREE_H
#define TREE_H

#include "base/count.h"
#include "tree/trie.h"

/*
 * Stacks are added to an empty tree, which is then finished and read.  Its
 * frames have numbers in the order of drawing: callers before callees, left to
 * right.  Siblings are linked in that order.
 */
struct tree {
	struct intern *names; /* owned by the caller */
	int counts;           /* per stack, one or two */
	bool chart;
	bool record_ends; /* option, set before the first stack: fill end */

	/* Of a finished tree. */
	struct trie_frame *node;
	uint32_t n;      /* number of frames, including the root */
	uint32_t pruned; /* frames that are only in a "(N more)" frame */

	/* Totals: units, and millionths, NULL if all 0. */
	uint64_t *units[2];
	uint32_t *micro[2];
	uint32_t *seen;     /* increases in the order of first seen */
	uint32_t *end;      /* the last frame of each added stack */
	size_t ends;        /* their number */
	struct count *lead; /* of a chart; see tree_lead() */

	/* Private: what was added, until it is finished. */
	struct runtree *runs;
	struct sortedtree *sorted;
};

/*
 * An empty tree.  names must outlive it.  In a chart, which has time from left
 * to right, a stack joins only the stack just before it.
 */
struct tree *tree_new(struct intern *names, int counts, bool chart);
void tree_free(struct tree *t); /* may be NULL */

/*
 * Add a stack of n frames, at least one, root first, with t->counts counts.  If
 * the total would exceed 64 bits, return false and add nothing.  Ends the
 * program with status 2 at 4 G frames.
 */
bool tree_add(struct tree *t, const uint32_t *id, size_t n,
	      const struct count *count);

/*
 * Add a stack of one count to a tree that is no chart and does not record ends:
 * text, frames with ';' between, not empty.  Faster than tree_add(), and a
 * large tree uses less memory; max is that of tree_finish().  False if the
 * stacks do not come sorted by their bytes, or if the tree is not suitable in
 * other ways. Then add all stacks by tree_add(), which drops what this function
 * added.
 */
bool tree_add_sorted(struct tree *t, struct str stack, struct count count,
		     uint32_t max);

/*
 * Finish the tree: compute totals and sort siblings by name, or by time in a
 * chart.  If there are more than max frames, keep the widest.  The other
 * children of a frame become one frame, "(N more)", to the right of their
 * siblings.  Returns the total of the "(N more)" frames in the last column.
 */
struct count tree_finish(struct tree *t, uint32_t max);

/* The total of a frame in a finished tree. */
static inline struct count
tree_total(const struct tree *t, uint32_t i, int column)
{
	return (
	    struct count){ t->units[column] == NULL ? 0 : t->units[column][i],
			   t->micro[column] == NULL ? 0 : t->micro[column][i] };
}

/* The total of a frame without its children, in a finished tree. */
struct count tree_self(const struct tree *t, uint32_t i, int column);

/*
 * In a finished chart: the caller's own count before this frame began, in the
 * last column.
 */
static inline struct count
tree_lead(const struct tree *t, uint32_t i)
{
	return t->lead == NULL || i == 0 ? count_of(0) : t->lead[t->seen[i]];
}

/*
 * Walk a finished tree from the root, left to right: the frame after i, which
 * is i + 1, or 0 after the last one.  *depth is the depth of i and becomes that
 * of the result.  tree_skip() skips the frames that i calls.
 */
uint32_t tree_skip(const struct tree *t, uint32_t i, uint32_t *depth);

static inline uint32_t
tree_next(const struct tree *t, uint32_t i, uint32_t *depth)
{
	if (t->node[i].child == 0)
		return tree_skip(t, i, depth);
	++*depth;
	return t->node[i].child;
}

#endif
