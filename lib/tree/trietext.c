/* trietext.c - the stacks of a trie as folded text. */
#include "tree/trietext.h"

#include "base/mem.h"
#include "folded/stack_order.h"

#include <stdlib.h>

/* A task: visit the stack that ends in a frame, or go on to its children. */
struct trietext_item {
	uint32_t rank, frame, depth;
	bool children;
};

/* The tasks, the next one last, and the text of the stack so far. */
struct trietext_walk {
	const struct trie *t;
	const struct intern *names;
	const uint32_t *ends;
	struct stack_order ranks;
	struct trietext_item *item;
	size_t n, cap;
	struct buf text;
	size_t *end; /* end of the text, by depth */
	size_t end_cap;
};

static int
compare_ranks_down(const void *a, const void *b)
{
	const struct trietext_item *x = a, *y = b;

	return (x->rank < y->rank) - (x->rank > y->rank);
}

static void
push(struct trietext_walk *w, struct trietext_item item)
{
	w->item = mem_grow(w->item, &w->cap, w->n + 1, sizeof(*w->item));
	w->item[w->n++] = item;
}

static void
push_children(struct trietext_walk *w, uint32_t parent, uint32_t depth)
{
	const struct trie_frame *node = w->t->frame;
	size_t first = w->n;
	uint32_t i, name;

	for (i = node[parent].child; i != 0; i = node[i].next) {
		name = node[i].name;
		if (node[i].child != 0)
			push(w, (struct trietext_item){ w->ranks.inner[name], i,
							depth, true });
		if (w->ends[i] != 0)
			push(w, (struct trietext_item){ w->ranks.last[name], i,
							depth, false });
	}
	if (w->n - first > 1)
		qsort(w->item + first, w->n - first, sizeof(*w->item),
		      compare_ranks_down);
}

/* Set the text to the stack that ends in an item's frame. */
static void
set_text(struct trietext_walk *w, struct trietext_item item)
{
	w->text.len = item.depth == 0 ? 0 : w->end[item.depth - 1];
	if (item.depth > 0)
		buf_char(&w->text, ';');
	buf_str(&w->text, intern_name(w->names, w->t->frame[item.frame].name));
	w->end = mem_grow(w->end, &w->end_cap, item.depth + 1, sizeof(*w->end));
	w->end[item.depth] = w->text.len;
}

void
trietext_visit(const struct trie *t, const struct intern *names,
	       const uint32_t *ends,
	       void (*visit)(void *arg, uint32_t i, struct str stack),
	       void *arg)
{
	struct trietext_walk w = { .t = t, .names = names, .ends = ends };
	struct trietext_item item;

	w.ranks = stack_order_new(names);
	push_children(&w, 0, 0);
	while (w.n > 0) {
		item = w.item[--w.n];
		set_text(&w, item);
		if (item.children)
			push_children(&w, item.frame, item.depth + 1);
		else
			visit(arg, item.frame, buf_slice(&w.text));
	}
	stack_order_free(&w.ranks);
	free(w.item);
	free(w.end);
	buf_free(&w.text);
}

void
trietext_stack(const struct trie *t, const struct intern *names, uint32_t i,
	       struct buf *out)
{
	uint32_t *path = NULL;
	size_t n = 0, cap = 0;

	for (; i != 0; i = t->frame[i].parent) {
		path = mem_grow(path, &cap, n + 1, sizeof(*path));
		path[n++] = t->frame[i].name;
	}
	while (n-- > 0) {
		buf_str(out, intern_name(names, path[n]));
		if (n > 0)
			buf_char(out, ';');
	}
	free(path);
}
