/* tree.c - stacks merged into a tree of frames. */
#include "tree.h"

#include "arrange.h"
#include "mem.h"

#include <assert.h>
#include <stdlib.h>

/*
 * Stacks are gathered, and go down the trie together as far as it has them.
 * Then, one after another, they add what it lacks.
 */
#define GATHERED 32

/* Number 0 is the one that was added last, for its beginning. */
struct gathered {
	struct trie_way way[GATHERED + 1];
	struct count count[GATHERED + 1][2];
	size_t begin[GATHERED + 1]; /* of each, in the arrays below */
	size_t n;                   /* with the one that was added */
	uint32_t *id, *at;
	size_t end, id_cap, at_cap;
};

struct tree *
tree_new(struct intern *names, int counts, bool chart)
{
	struct tree *t = mem_zero(1, sizeof(*t));

	t->names = names;
	t->counts = counts;
	t->chart = chart;
	trie_init(&t->trie);
	t->gathered = mem_zero(1, sizeof(*t->gathered));
	t->gathered->n = 1;
	return t;
}

static void
free_building(struct tree *t)
{
	if (t->gathered != NULL) {
		free(t->gathered->id);
		free(t->gathered->at);
	}
	free(t->gathered);
	t->gathered = NULL;
	trie_free(&t->trie);
	t->trie = (struct trie){ 0 };
}

void
tree_free(struct tree *t)
{
	if (t == NULL)
		return;
	free_building(t);
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

/* Room for the counts of all frames; those of new ones are zero. */
static void
fit_counts(struct tree *t)
{
	size_t n = t->trie.n, old = t->counted;
	int c;

	if (n == old)
		return;
	for (c = 0; c < t->counts; c++) {
		t->units[c] = mem_grow(t->units[c], &t->units_cap[c], n,
				       sizeof(*t->units[c]));
		memset(t->units[c] + old, 0, (n - old) * sizeof(*t->units[c]));
		if (t->micro[c] == NULL)
			continue;
		t->micro[c] = mem_grow(t->micro[c], &t->micro_cap[c], n,
				       sizeof(*t->micro[c]));
		memset(t->micro[c] + old, 0, (n - old) * sizeof(*t->micro[c]));
	}
	t->counted = t->trie.n;
}

static void
set_count(struct tree *t, uint32_t i, int column, struct count c)
{
	if (c.micro != 0 && t->micro[column] == NULL) {
		t->micro_cap[column] = t->units_cap[column];
		t->micro[column] = mem_zero(t->micro_cap[column],
					    sizeof(*t->micro[column]));
	}
	t->units[column][i] = c.units;
	if (t->micro[column] != NULL)
		t->micro[column][i] = c.micro;
}

/* Add to a frame; no frame's sum exceeds the root's, which was checked. */
static void
add_count(struct tree *t, uint32_t i, int column, struct count c)
{
	struct count sum = tree_total(t, i, column);

	count_add(&sum, c);
	set_count(t, i, column, sum);
}

/* The root has the sum of all from the start, so that overflow shows. */
static bool
add_root(struct tree *t, const struct count *count)
{
	struct count sum[2] = { tree_total(t, 0, 0), tree_total(t, 0, 1) };
	int column;

	fit_counts(t);
	for (column = 0; column < t->counts; column++) {
		if (!count_add(&sum[column], count[column]))
			return false;
	}
	for (column = 0; column < t->counts; column++)
		set_count(t, 0, column, sum[column]);
	return true;
}

/* How many frames, root first, a stack has in common with the one before. */
static size_t
common_frames(const struct gathered *g, size_t k)
{
	const uint32_t *a = g->id + g->begin[k - 1], *b = g->id + g->begin[k];
	size_t i = 0;

	while (i < g->way[k - 1].n && i < g->way[k].n && a[i] == b[i])
		i++;
	return i;
}

/* The next frame of a chart, which begins where its caller is by now. */
static uint32_t
append_frame(struct tree *t, uint32_t parent, uint32_t name)
{
	uint32_t i = trie_append(&t->trie, parent, name);
	bool has_own = parent != 0 && parent < t->counted;

	t->lead = mem_grow(t->lead, &t->lead_cap, (size_t)i + 1,
			   sizeof(*t->lead));
	t->lead[i] = has_own ? tree_total(t, parent, t->counts - 1) :
			       count_of(0);
	return i;
}

/* Add what the tree lacks of a stack, and its counts. */
static void
add_stack(struct tree *t, size_t k)
{
	struct trie_way *w = &t->gathered->way[k];
	size_t same = common_frames(t->gathered, k);
	uint32_t i;
	int column;

	if (same > w->found) {
		memcpy(w->at, w[-1].at, same * sizeof(*w->at));
		w->found = same;
	}
	i = w->found == 0 ? 0 : w->at[w->found - 1];
	for (; w->found < w->n; w->found++)
		w->at[w->found] = i = t->chart ?
					  append_frame(t, i, w->id[w->found]) :
					  trie_child(&t->trie, i,
						     w->id[w->found]);
	fit_counts(t);
	for (column = 0; column < t->counts; column++)
		add_count(t, i, column, t->gathered->count[k][column]);
	if (!t->keeps_ends)
		return;
	t->end = mem_grow(t->end, &t->ends_cap, t->ends + 1, sizeof(*t->end));
	t->end[t->ends++] = i;
}

static void
add_gathered(struct tree *t)
{
	struct gathered *g = t->gathered;
	struct trie_way *last = &g->way[g->n - 1];
	size_t k;

	for (k = 0; k < g->n; k++) {
		g->way[k].id = g->id + g->begin[k];
		g->way[k].at = g->at + g->begin[k];
	}
	trie_go_down(&t->trie, g->way + 1, g->n - 1);
	for (k = 1; k < g->n; k++)
		add_stack(t, k);
	memmove(g->id, last->id, last->n * sizeof(*g->id));
	memmove(g->at, last->at, last->n * sizeof(*g->at));
	g->way[0] = *last;
	g->end = last->n;
	g->n = 1;
}

bool
tree_add(struct tree *t, const uint32_t *id, size_t n,
	 const struct count *count)
{
	struct gathered *g = t->gathered;
	size_t k = g->n;

	if (!add_root(t, count))
		return false;
	memcpy(g->count[k], count, (size_t)t->counts * sizeof(*count));
	g->begin[k] = g->end;
	g->end += n;
	g->id = mem_grow(g->id, &g->id_cap, g->end, sizeof(*g->id));
	g->at = mem_grow(g->at, &g->at_cap, g->end, sizeof(*g->at));
	memcpy(g->id + g->begin[k], id, n * sizeof(*id));
	g->way[k] = (struct trie_way){ .n = n };
	/* What follows its neighbour needs no search. */
	g->way[k].stuck = t->chart || n == 0 || 2 * common_frames(g, k) > n;
	if (++g->n == GATHERED + 1)
		add_gathered(t);
	return true;
}

struct count
tree_finish(struct tree *t, uint32_t max)
{
	if (t->gathered->n > 1)
		add_gathered(t);
	fit_counts(t);
	t->node = t->trie.frame;
	t->n = t->trie.n;
	t->trie.frame = NULL;
	free_building(t);
	return arrange_frames(t, max);
}

struct count
tree_self(const struct tree *t, uint32_t i, int column)
{
	struct count c = tree_total(t, i, column), kid;

	for (i = t->node[i].child; i != 0; i = t->node[i].next) {
		kid = tree_total(t, i, column);
		assert(count_cmp(kid, c) <= 0);
		c = count_minus(c, kid);
	}
	return c;
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

uint32_t
tree_next(const struct tree *t, uint32_t i, uint32_t *depth)
{
	if (t->node[i].child == 0)
		return tree_skip(t, i, depth);
	++*depth;
	return t->node[i].child;
}
