/* tree.c - stacks merged into a tree of frames. */
#include "tree.h"

#include "arrange.h"
#include "mem.h"

#include <assert.h>
#include <err.h>
#include <stdlib.h>

/*
 * Most stacks share their beginning with another and have a tail of their
 * own, in which each frame has one child.  So a first child is found through
 * its parent, and only its siblings are in the hash table: open addressing,
 * at most half full, the hash above the number, zero where free.
 */

/* Let an array have room for cap elements, of old that it has. */
static void *
grow_array(void *p, size_t old, size_t cap, size_t size)
{
	return mem_grow(p, &old, cap, size);
}

/* Double the room for frames, and for their counts with it. */
static void
grow_nodes(struct tree *t)
{
	size_t old = t->cap, cap = old < 512 ? 1024 : 2 * old;
	int c;

	t->node = grow_array(t->node, old, cap, sizeof(*t->node));
	for (c = 0; c < t->counts; c++) {
		t->units[c] = grow_array(t->units[c], old, cap,
					 sizeof(*t->units[c]));
		if (t->micro[c] != NULL)
			t->micro[c] = grow_array(t->micro[c], old, cap,
						 sizeof(*t->micro[c]));
	}
	t->cap = cap;
}

/* The counts of a new frame. */
static void
clear_counts(struct tree *t, uint32_t i)
{
	int c;

	for (c = 0; c < t->counts; c++) {
		t->units[c][i] = 0;
		if (t->micro[c] != NULL)
			t->micro[c][i] = 0;
	}
}

/*
 * A tree of millions of frames is not in the caches, and each step down waits
 * for memory.  So stacks are gathered, and go down together, each as far as
 * the tree has its frames: while one waits, the others are on their way.
 * Only then, one after another, they add what the tree lacks.
 */
#define GATHERED 32

struct waiting {
	size_t begin, n; /* its frames in t->id and t->at */
	size_t found;    /* how many of them the tree has */
	bool stuck;      /* as far as is known */
	struct count count[2];
};

/* The first of those that wait is the one added last, for its beginning. */
static struct waiting *
new_waiting(struct tree *t, size_t n)
{
	struct waiting *w = &t->waiting[t->nwaiting++];

	*w = (struct waiting){ .begin = t->end, .n = n };
	t->end += n;
	t->id = mem_grow(t->id, &t->id_cap, t->end, sizeof(*t->id));
	t->at = mem_grow(t->at, &t->at_cap, t->end, sizeof(*t->at));
	return w;
}

struct tree *
tree_new(struct intern *names, int counts, bool chart)
{
	struct tree *t = mem_zero(1, sizeof(*t));

	t->names = names;
	t->counts = counts;
	t->chart = chart;
	t->mask = 1023;
	t->slot = mem_zero(t->mask + 1, sizeof(*t->slot));
	t->waiting = mem_alloc((GATHERED + 1) * sizeof(*t->waiting));
	grow_nodes(t);
	t->node[0] = (struct tree_node){ UINT32_MAX, 0, 0, 0 };
	clear_counts(t, 0);
	t->n = 1;
	new_waiting(t, 0);
	return t;
}

void
tree_free(struct tree *t)
{
	if (t == NULL)
		return;
	free(t->node);
	free(t->units[0]);
	free(t->units[1]);
	free(t->micro[0]);
	free(t->micro[1]);
	free(t->seen);
	free(t->slot);
	free(t->waiting);
	free(t->id);
	free(t->at);
	free(t);
}

static uint32_t
hash_child(uint32_t parent, uint32_t name)
{
	uint64_t h = ((uint64_t)parent << 32 | name) * 0x9e3779b97f4a7c15;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
	return (uint32_t)(h >> 32);
}

static void
put_slot(uint64_t *slot, size_t mask, uint32_t hash, uint32_t i)
{
	size_t at = hash & mask;

	while (slot[at] != 0)
		at = (at + 1) & mask;
	slot[at] = (uint64_t)hash << 32 | i;
}

static void
grow_slots(struct tree *t)
{
	size_t i, mask = 2 * t->mask + 1;
	uint64_t *slot = mem_zero(mask + 1, sizeof(*slot));

	for (i = 0; i <= t->mask; i++) {
		if (t->slot[i] != 0)
			put_slot(slot, mask, (uint32_t)(t->slot[i] >> 32),
				 (uint32_t)t->slot[i]);
	}
	free(t->slot);
	t->slot = slot;
	t->mask = mask;
}

static uint32_t
find_slot(const struct tree *t, uint32_t hash, uint32_t parent, uint32_t name)
{
	size_t at;
	uint32_t i;

	for (at = hash & t->mask; t->slot[at] != 0; at = (at + 1) & t->mask) {
		i = (uint32_t)t->slot[at];
		if (t->slot[at] >> 32 == hash && t->node[i].parent == parent &&
		    t->node[i].name == name)
			return i;
	}
	return 0;
}

static uint32_t
add_node(struct tree *t, uint32_t parent, uint32_t name)
{
	struct tree_node *p;
	uint32_t i = t->n;

	if (i == UINT32_MAX)
		errx(2, "more than %u frames", UINT32_MAX - 1);
	if (i == t->cap)
		grow_nodes(t);
	p = &t->node[parent];
	t->node[i] = (struct tree_node){ name, parent, 0, p->child };
	p->child = i;
	clear_counts(t, i);
	t->n++;
	return i;
}

/* The child of a name, or 0. */
static uint32_t
find_child(const struct tree *t, uint32_t parent, uint32_t name)
{
	uint32_t i = t->node[parent].child;

	if (i == 0 || t->node[i].name == name)
		return i;
	return find_slot(t, hash_child(parent, name), parent, name);
}

/* The child of a name; made if there is none, and in a chart always. */
static uint32_t
get_child(struct tree *t, uint32_t parent, uint32_t name)
{
	uint32_t i = t->chart ? 0 : find_child(t, parent, name);

	if (i != 0)
		return i;
	/* The newest child heads the list; who headed it needs a slot now. */
	i = t->node[parent].child;
	if (i != 0 && !t->chart) {
		put_slot(t->slot, t->mask, hash_child(parent, t->node[i].name),
			 i);
		if (2 * ++t->used > t->mask)
			grow_slots(t);
	}
	return add_node(t, parent, name);
}

static void
set_count(struct tree *t, uint32_t i, int column, struct count c)
{
	if (c.micro != 0 && t->micro[column] == NULL)
		t->micro[column] = mem_zero(t->cap, sizeof(*t->micro[column]));
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

	for (column = 0; column < t->counts; column++) {
		if (!count_add(&sum[column], count[column]))
			return false;
	}
	for (column = 0; column < t->counts; column++)
		set_count(t, 0, column, sum[column]);
	return true;
}

/* Where a stack is on its way down. */
static uint32_t
place(const struct tree *t, const struct waiting *w)
{
	return w->found == 0 ? 0 : t->at[w->begin + w->found - 1];
}

/* The place in the table of the frame that a stack needs next. */
static uint64_t *
next_slot(const struct tree *t, const struct waiting *w)
{
	uint32_t name = t->id[w->begin + w->found];

	return &t->slot[hash_child(place(t, w), name) & t->mask];
}

/* Have what the next step reads brought from memory. */
static void
call_for(const struct tree *t, const struct waiting *w)
{
	__builtin_prefetch(&t->node[t->node[place(t, w)].child]);
	__builtin_prefetch(next_slot(t, w));
}

static void
step_down(const struct tree *t, struct waiting *w)
{
	size_t next = w->begin + w->found;
	uint32_t i = find_child(t, place(t, w), t->id[next]);

	if (i != 0) {
		t->at[next] = i;
		w->found++;
	}
	w->stuck = i == 0 || w->found == w->n;
}

/* Take those that wait down to where the tree ends. */
static void
go_down(struct tree *t)
{
	struct waiting *first = t->waiting + 1, *w;
	struct waiting *end = t->waiting + t->nwaiting;
	bool moved = true;

	while (moved) {
		moved = false;
		for (w = first; w < end; w++) {
			if (!w->stuck)
				call_for(t, w);
		}
		for (w = first; w < end; w++) {
			if (!w->stuck)
				__builtin_prefetch(
				    &t->node[(uint32_t)*next_slot(t, w)]);
		}
		for (w = first; w < end; w++) {
			if (!w->stuck) {
				step_down(t, w);
				moved = true;
			}
		}
	}
}

/* How many frames, root first, a stack has in common with the one before. */
static size_t
common_frames(const struct tree *t, const struct waiting *w)
{
	const uint32_t *a = t->id + w[-1].begin, *b = t->id + w->begin;
	size_t i = 0;

	while (i < w[-1].n && i < w->n && a[i] == b[i])
		i++;
	return i;
}

/* Add what the tree lacks of a stack, and its counts. */
static void
add_waiting(struct tree *t, struct waiting *w)
{
	uint32_t *at = t->at + w->begin, i;
	const uint32_t *id = t->id + w->begin;
	size_t same = common_frames(t, w);
	int column;

	if (same > w->found) {
		memcpy(at, t->at + w[-1].begin, same * sizeof(*at));
		w->found = same;
	}
	i = place(t, w);
	for (; w->found < w->n; w->found++)
		at[w->found] = i = get_child(t, i, id[w->found]);
	for (column = 0; column < t->counts; column++)
		add_count(t, i, column, w->count[column]);
}

static void
add_gathered(struct tree *t)
{
	struct waiting *last = &t->waiting[t->nwaiting - 1];
	size_t i;

	go_down(t);
	for (i = 1; i < t->nwaiting; i++)
		add_waiting(t, &t->waiting[i]);
	memmove(t->id, t->id + last->begin, last->n * sizeof(*t->id));
	memmove(t->at, t->at + last->begin, last->n * sizeof(*t->at));
	last->begin = 0;
	t->end = last->n;
	t->waiting[0] = *last;
	t->nwaiting = 1;
}

bool
tree_add(struct tree *t, const uint32_t *id, size_t n,
	 const struct count *count)
{
	struct waiting *w;

	if (!add_root(t, count))
		return false;
	w = new_waiting(t, n);
	memcpy(w->count, count, (size_t)t->counts * sizeof(*count));
	memcpy(t->id + w->begin, id, n * sizeof(*id));
	/* What follows its neighbour needs no search. */
	w->stuck = t->chart || n == 0 || 2 * common_frames(t, w) > n;
	if (t->nwaiting == GATHERED + 1)
		add_gathered(t);
	return true;
}

struct count
tree_finish(struct tree *t, uint32_t max)
{
	if (t->nwaiting > 1)
		add_gathered(t);
	free(t->slot);
	free(t->id);
	free(t->at);
	t->slot = NULL;
	t->id = t->at = NULL;
	return arrange_frames(t, max);
}

struct count
tree_self(const struct tree *t, uint32_t i, int column)
{
	struct count c = tree_total(t, i, column), kid;

	for (i = t->node[i].child; i != 0; i = t->node[i].next) {
		kid = tree_total(t, i, column);
		assert(count_cmp(kid, c) <= 0);
		c.units -= kid.units + (kid.micro > c.micro);
		c.micro += (kid.micro > c.micro ? 1000000 : 0) - kid.micro;
	}
	return c;
}

uint32_t
tree_skip(const struct tree *t, uint32_t i, uint32_t *depth)
{
	const struct tree_node *node = t->node;

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
