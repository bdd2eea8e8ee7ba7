/* tree.h - stacks merged into a tree of frames, which is what is drawn. */
#ifndef TREE_H
#define TREE_H

#include "count.h"
#include "trie.h"

struct gathered;

/*
 * While stacks are added the frames are those of a trie.  In a finished tree
 * they have numbers in the order of drawing, callers before callees, left to
 * right, and siblings are linked in that order.
 */
struct tree {
	struct intern *names; /* the caller's */
	int counts;           /* one or two */
	bool chart;
	bool keeps_ends; /* set it before the first stack, for end */
	struct trie_frame *node;
	uint32_t n;    /* places in the array, the root's included */
	uint32_t lost; /* frames that are only in the sum of their siblings */

	/* Totals when finished: units, and millionths if any are not whole. */
	uint64_t *units[2];
	uint32_t *micro[2];
	uint32_t *seen; /* when finished: grows in the order of appearance */
	uint32_t *end;  /* when finished: the last frame of each stack added */
	struct count *lead; /* of a chart; see tree_lead() */

	/* Below here is tree.c's own. */
	struct trie trie;
	uint32_t counted; /* frames that have counts */
	size_t units_cap[2], micro_cap[2], ends, ends_cap, lead_cap;
	struct gathered *gathered;
};

/*
 * An empty tree whose names are in a table that outlives it.  A chart keeps
 * time: a stack joins only the stack just before it.
 */
struct tree *tree_new(struct intern *names, int counts, bool chart);
void tree_free(struct tree *t);

/*
 * Add a stack of n frames, root first, with t->counts counts.  False, and
 * nothing added, if the sum of all would exceed 64 bits.  Ends the program
 * with status 2 at 4 G frames.
 */
bool tree_add(struct tree *t, const uint32_t *id, size_t n,
	      const struct count *count);

/*
 * When all is added: totals for tree_total(), and the frames in the order of
 * drawing, siblings by name, of a chart by time.  Of more than max frames the
 * widest are kept; the rest of a frame's children become one, "(N more)", to
 * the right of the others.  Returns the total of these.
 */
struct count tree_finish(struct tree *t, uint32_t max);

/* Totals of a finished tree: of a frame, and what is not in its children. */
static inline struct count
tree_total(const struct tree *t, uint32_t i, int column)
{
	return (
	    struct count){ t->units[column] == NULL ? 0 : t->units[column][i],
			   t->micro[column] == NULL ? 0 : t->micro[column][i] };
}
struct count tree_self(const struct tree *t, uint32_t i, int column);

/*
 * Of a finished chart: what a frame's caller had of its own before it, by the
 * last column.
 */
static inline struct count
tree_lead(const struct tree *t, uint32_t i)
{
	return t->lead == NULL || i == 0 ? count_of(0) : t->lead[t->seen[i]];
}

/*
 * The frame after i from the root on, left to right, 0 at the end, and its
 * depth, if that of i is given; and the same without what is above i.
 */
uint32_t tree_next(const struct tree *t, uint32_t i, uint32_t *depth);
uint32_t tree_skip(const struct tree *t, uint32_t i, uint32_t *depth);

#endif
