/* calltree.c - a tree of calls, and what was spent in each stack. */
#include "formats/calltree.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

void
calltree_init(struct calltree *t)
{
	*t = (struct calltree){ 0 };
	t->node = mem_grow(NULL, &t->cap, 64, sizeof(*t->node));
	t->node[t->n++] = (struct calltree_node){ 0 };
}

void
calltree_free(struct calltree *t)
{
	free(t->node);
	u64map_free(&t->children);
	u64map_free(&t->open);
}

uint32_t
calltree_call(struct calltree *t, uint32_t node, uint32_t frame)
{
	uint64_t key = (uint64_t)node << 32 | frame;
	uint32_t child = (uint32_t)t->n;

	if (u64map_get(&t->children, key, &child))
		return child;
	if (t->n == UINT32_MAX)
		errx(2, "more than %u different stacks", UINT32_MAX);
	u64map_put(&t->children, key, child);
	t->node = mem_grow(t->node, &t->cap, t->n + 1, sizeof(*t->node));
	t->node[t->n++] = (struct calltree_node){ .parent = node,
						  .frame = frame };
	return child;
}

uint32_t
calltree_enter(struct calltree *t, uint32_t node, uint32_t frame)
{
	uint32_t n = 0;

	u64map_get(&t->open, frame, &n);
	u64map_put(&t->open, frame, n + 1);
	return calltree_call(t, node, frame);
}

/* Open calls are counted, so that no search for a missing one is needed. */
size_t
calltree_leave(struct calltree *t, uint32_t *node, uint32_t frame)
{
	uint32_t n = 0, left;
	size_t count = 0;

	if (!u64map_get(&t->open, frame, &n) || n == 0)
		return 0;
	do {
		left = t->node[*node].frame;
		*node = t->node[*node].parent;
		u64map_get(&t->open, left, &n);
		u64map_put(&t->open, left, n - 1);
		count++;
	} while (left != frame);
	return count;
}

void
calltree_close(struct calltree *t)
{
	u64map_free(&t->open);
}

/* Kahan summation: the sum of many small numbers would drift. */
void
calltree_spend(struct calltree *t, uint32_t node, double weight)
{
	struct calltree_node *n = &t->node[node];
	double x = weight - n->rest, sum = n->self + x;

	n->rest = (sum - n->self) - x;
	n->self = sum;
	n->n++;
}
