/* tree.c - stacks merged into a tree of frames. */
#include "tree.h"

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

struct tree *
tree_new(struct intern *names, int counts, bool chart)
{
	struct tree *t = mem_zero(1, sizeof(*t));

	t->names = names;
	t->counts = counts;
	t->chart = chart;
	t->mask = 1023;
	t->slot = mem_zero(t->mask + 1, sizeof(*t->slot));
	grow_nodes(t);
	t->node[0] = (struct tree_node){ UINT32_MAX, 0, 0, 0 };
	clear_counts(t, 0);
	t->n = 1;
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
	free(t->slot);
	free(t->path);
	free(t->path_id);
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

/* The child of a name; made if there is none. */
static uint32_t
get_child(struct tree *t, uint32_t parent, uint32_t name)
{
	uint32_t hash, i = t->node[parent].child;

	if (i == 0)
		return add_node(t, parent, name);
	if (t->node[i].name == name)
		return i;
	hash = hash_child(parent, name);
	i = find_slot(t, hash, parent, name);
	if (i != 0)
		return i;
	/* The newest child heads the list; who headed it needs a slot now. */
	i = t->node[parent].child;
	put_slot(t->slot, t->mask, hash_child(parent, t->node[i].name), i);
	if (2 * ++t->used > t->mask)
		grow_slots(t);
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

/* How many frames, root first, the stack has in common with the last. */
static size_t
common_frames(const struct tree *t, const uint32_t *id, size_t n)
{
	size_t i = 0;

	while (i < n && i < t->depth && t->path_id[i] == id[i])
		i++;
	return i;
}

bool
tree_add(struct tree *t, const uint32_t *id, size_t n,
	 const struct count *count)
{
	size_t i = common_frames(t, id, n);
	uint32_t at = i == 0 ? 0 : t->path[i - 1];
	int column;

	if (!add_root(t, count))
		return false;
	t->path = mem_grow(t->path, &t->path_cap, n, sizeof(*t->path));
	t->path_id = mem_grow(t->path_id, &t->path_id_cap, n,
			      sizeof(*t->path_id));
	for (; i < n; i++) {
		at = t->chart ? add_node(t, at, id[i]) :
				get_child(t, at, id[i]);
		t->path[i] = at;
		t->path_id[i] = id[i];
	}
	t->depth = n;
	for (column = 0; column < t->counts; column++)
		add_count(t, at, column, count[column]);
	return true;
}

/* Let every frame have its children's counts too.  Children come later. */
static void
sum_up(struct tree *t)
{
	uint32_t i, parent;
	int column;

	for (i = t->n - 1; i > 0; i--) {
		parent = t->node[i].parent;
		for (column = 0; parent != 0 && column < t->counts; column++) {
			if (t->micro[column] == NULL)
				t->units[column][parent] += t->units[column][i];
			else
				add_count(t, parent, column,
					  tree_total(t, i, column));
		}
	}
}

static int
by_name(const void *a, const void *b, void *names)
{
	return str_cmp(intern_name(names, *(const uint32_t *)a),
		       intern_name(names, *(const uint32_t *)b));
}

/* The place of each name among all of them, sorted by bytes. */
static uint32_t *
rank_names(struct intern *names)
{
	uint32_t i, n = intern_size(names);
	uint32_t *id = mem_alloc(n * sizeof(*id));
	uint32_t *rank = mem_alloc(n * sizeof(*rank));

	for (i = 0; i < n; i++)
		id[i] = i;
	qsort_r(id, n, sizeof(*id), by_name, names);
	for (i = 0; i < n; i++)
		rank[id[i]] = i;
	free(id);
	return rank;
}

static int
by_key(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A frame's children, linked newest first, in order of key. */
static void
sort_children(struct tree *t, uint32_t parent, const uint32_t *rank,
	      uint64_t **key, size_t *cap)
{
	uint32_t i, next = 0;
	size_t n = 0;

	for (i = t->node[parent].child; i != 0; i = t->node[i].next) {
		*key = mem_grow(*key, cap, n + 1, sizeof(**key));
		(*key)[n++] =
		    (uint64_t)(rank != NULL ? rank[t->node[i].name] : i) << 32 |
		    i;
	}
	qsort(*key, n, sizeof(**key), by_key);
	while (n-- > 0) {
		i = (uint32_t)(*key)[n];
		t->node[i].next = next;
		next = i;
	}
	t->node[parent].child = next;
}

void
tree_finish(struct tree *t)
{
	uint32_t i, *rank = t->chart ? NULL : rank_names(t->names);
	uint64_t *key = NULL;
	size_t cap = 0;

	free(t->slot);
	t->slot = NULL;
	t->alive = t->n - 1;
	sum_up(t);
	for (i = 0; i < t->n; i++) {
		if (t->node[i].child != 0 &&
		    t->node[t->node[i].child].next != 0)
			sort_children(t, i, rank, &key, &cap);
	}
	free(key);
	free(rank);
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
