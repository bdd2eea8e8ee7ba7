/* tree.c - stacks merged into a tree of frames, for drawing. */
#include "tree/tree.h"

#include "base/mem.h"
#include "tree/runtree.h"
#include "tree/sortedtree.h"
#include "tree/treelayout.h"

#include <assert.h>
#include <stdlib.h>

struct tree *
tree_new(struct intern *names, int counts, bool chart)
{
	struct tree *t = mem_zero(1, sizeof(*t));

	t->names = names;
	t->counts = counts;
	t->chart = chart;
	t->runs = runtree_new(names, counts, chart);
	return t;
}

void
tree_free(struct tree *t)
{
	if (t == NULL)
		return;
	runtree_free(t->runs);
	sortedtree_free(t->sorted);
	free(t->node);
	free(t->units[0]);
	free(t->units[1]);
	free(t->micro[0]);
	free(t->micro[1]);
	free(t->seen);
	free(t->end);
	free(t->lead);
	free(t);
}

/* Forget what tree_add_sorted() added. */
static void
drop_sorted(struct tree *t)
{
	sortedtree_free(t->sorted);
	t->sorted = NULL;
}

bool
tree_add(struct tree *t, const uint32_t *id, size_t n,
	 const struct count *count)
{
	drop_sorted(t);
	t->runs->record_ends = t->record_ends;
	return runtree_add(t->runs, id, n, count);
}

bool
tree_add_sorted(struct tree *t, struct str stack, struct count count,
		uint32_t max)
{
	if (t->sorted == NULL)
		t->sorted = sortedtree_new(t->names, max);
	if (sortedtree_add(t->sorted, stack, count))
		return true;
	drop_sorted(t);
	return false;
}

struct count
tree_finish(struct tree *t, uint32_t max)
{
	struct count pruned;

	if (t->sorted != NULL) {
		pruned = sortedtree_finish(t->sorted, t);
		drop_sorted(t);
	} else {
		runtree_finish(t->runs);
		pruned = treelayout_finish(t, t->runs, max);
	}
	runtree_free(t->runs);
	t->runs = NULL;
	return pruned;
}

uint32_t
tree_skip(const struct tree *t, uint32_t i, uint32_t *depth)
{
	const struct trie_frame *node = t->node;

	while (i != 0 && node[i].next == 0) {
		i = node[i].parent;
		--*depth;
	}
	return i == 0 ? 0 : node[i].next;
}

/* The same where no count has decimals. */
static uint64_t
self_units(const struct tree *t, uint32_t i, const uint64_t *units)
{
	uint64_t self = units[i];

	for (i = t->node[i].child; i != 0; i = t->node[i].next) {
		assert(units[i] <= self);
		self -= units[i];
	}
	return self;
}

struct count
tree_self(const struct tree *t, uint32_t i, int column)
{
	struct count c = tree_total(t, i, column), kid;

	if (t->units[column] != NULL && t->micro[column] == NULL)
		return count_of(self_units(t, i, t->units[column]));
	for (i = t->node[i].child; i != 0; i = t->node[i].next) {
		kid = tree_total(t, i, column);
		assert(count_cmp(kid, c) <= 0);
		c = count_sub(c, kid);
	}
	return c;
}
