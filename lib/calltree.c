/* calltree.c - a tree of calls whose frames are numbers. */
#include "calltree.h"

#include "mem.h"

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
	map_free(&t->children);
}

uint32_t
calltree_call(struct calltree *t, uint32_t node, uint32_t frame)
{
	uint64_t key = (uint64_t)node << 32 | frame;
	uint32_t child = (uint32_t)t->n;

	if (map_get(&t->children, key, &child))
		return child;
	if (t->n == UINT32_MAX)
		errx(2, "more than %u different stacks", UINT32_MAX);
	map_put(&t->children, key, child);
	t->node = mem_grow(t->node, &t->cap, t->n + 1, sizeof(*t->node));
	t->node[t->n++] = (struct calltree_node){ .parent = node,
						  .frame = frame };
	return child;
}

/* Many small numbers are added as Kahan does, or their sum would drift. */
void
calltree_spend(struct calltree *t, uint32_t node, double weight)
{
	struct calltree_node *n = &t->node[node];
	double x = weight - n->rest, sum = n->self + x;

	n->rest = (sum - n->self) - x;
	n->self = sum;
	n->n++;
}
