/* arrange.c - the frames of a tree in the order of drawing. */
#include "arrange.h"

#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* Widths are sorted into bins: 64 for each power of two. */
#define BIN_BITS 6
#define NBINS ((64 << BIN_BITS) + 1)

/* What is below a frame: how many frames, and the bin of the narrowest child.
 */
struct below {
	uint32_t frames;
	uint16_t narrowest;
};

/* A tree on its way from one order to the other. */
struct arrange {
	struct tree *from, *to;
	const uint32_t *rank;      /* of names; NULL in a chart */
	const struct below *below; /* NULL if all frames are kept */
	size_t cut;                /* the lowest bin of those kept */
	bool fine;                 /* bins are of millionths */
	struct count lost;
	uint64_t *key; /* rank and number of siblings, to sort them */
	size_t cap;
	uint32_t *last; /* of the new numbers at each depth the last */
	size_t last_cap;
};

static void
set_total(struct tree *t, uint32_t i, int column, struct count c)
{
	t->units[column][i] = c.units;
	if (t->micro[column] != NULL)
		t->micro[column][i] = c.micro;
}

/* Let a frame's parent have its counts too, once it has its children's. */
static void
add_to_parent(struct tree *t, uint32_t i)
{
	uint32_t parent = t->node[i].parent;
	struct count sum;
	int column;

	/* The root has the sum of all from the start. */
	for (column = 0; parent != 0 && column < t->counts; column++) {
		sum = tree_total(t, parent, column);
		count_add(&sum, tree_total(t, i, column));
		set_total(t, parent, column, sum);
	}
}

static void
sum_up(struct tree *t)
{
	uint32_t i;

	for (i = t->n - 1; i > 0; i--)
		add_to_parent(t, i);
}

static size_t
bin_of(uint64_t width)
{
	unsigned shift;

	if (width == 0)
		return 0;
	shift = 63 - (unsigned)__builtin_clzll(width);
	width = shift < BIN_BITS ? width << (BIN_BITS - shift) :
				   width >> (shift - BIN_BITS);
	return ((size_t)shift << BIN_BITS) + (width & ((1 << BIN_BITS) - 1)) +
	       1;
}

/* Whether there are decimals, and all in millionths is within 64 bits. */
static bool
is_fine(const struct tree *t)
{
	bool fine = false;
	int column;

	for (column = 0; column < t->counts; column++) {
		if (t->units[column][0] >= UINT64_MAX / 1000000)
			return false;
		fine |= t->micro[column] != NULL;
	}
	return fine;
}

/* A frame's bin is never above its parent's, and the root's above all. */
static size_t
bin(const struct tree *t, uint32_t i, bool fine)
{
	uint64_t width = 0, one;
	struct count c;
	int column;

	if (i == 0)
		return NBINS;
	for (column = 0; column < t->counts; column++) {
		c = tree_total(t, i, column);
		one = fine ? c.units * 1000000 + c.micro : c.units;
		width = one > width ? one : width;
	}
	return bin_of(width);
}

/* Tell the parent of frame i, which has seen the newer of its children. */
static void
tell_parent(const struct tree *t, uint32_t i, size_t own, struct below *below)
{
	uint32_t parent = t->node[i].parent;
	struct below *b = &below[parent];

	if (t->node[parent].child == i)
		*b = (struct below){ 0, (uint16_t)own };
	if (b->narrowest > own)
		b->narrowest = (uint16_t)own;
	b->frames += 1 + (t->node[i].child == 0 ? 0 : below[i].frames);
}

/*
 * Sum up, and find the lowest bin from which on all frames, and the sums of
 * those below, are at most max.  A frame needs a sum for its children if the
 * narrowest of them is below that bin and it is not.
 */
static size_t
find_cut(struct tree *t, uint32_t max, bool fine, struct below *below)
{
	size_t n = 0, cut = NBINS, *bins = mem_zero(NBINS + 1, sizeof(*bins));
	size_t own, narrowest;
	uint32_t i;

	for (i = t->n - 1;; i--) {
		own = bin(t, i, fine);
		narrowest = t->node[i].child == 0 ? own : below[i].narrowest;
		/* From the top down: the frame, or its sum, then no sum. */
		bins[own] += narrowest < own ? 2 : 1;
		bins[narrowest] -= narrowest < own;
		if (i == 0)
			break;
		tell_parent(t, i, own, below);
		add_to_parent(t, i);
	}
	/* The root is counted above all, though it is no frame. */
	while (cut > 0 && n + bins[cut] <= (size_t)max + 1)
		n += bins[cut--];
	free(bins);
	return cut + 1;
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

/* Make frame i the sum of those in the list that begins with it. */
static void
sum_list(struct arrange *a, uint32_t i, uint32_t frames)
{
	struct tree *t = a->from;
	struct buf name = { 0 };
	struct count sum;
	uint32_t j;
	int column;

	for (column = 0; column < t->counts; column++) {
		sum = tree_total(t, i, column);
		for (j = t->node[i].next; j != 0; j = t->node[j].next)
			count_add(&sum, tree_total(t, j, column));
		set_total(t, i, column, sum);
	}
	/* Where to look for what ended in one of them; see move_ends(). */
	for (j = t->node[i].next; j != 0; j = t->node[j].next)
		t->node[j].parent = i;
	buf_printf(&name, "(%" PRIu32 " more)", frames);
	t->node[i].name = intern_id(t->names, buf_slice(&name));
	t->node[i].child = t->node[i].next = 0;
	buf_free(&name);
	count_add(&a->lost, tree_total(t, i, t->counts - 1));
	a->to->lost += frames;
}

/*
 * Take the narrow children of a frame out of their list, and put them back
 * at its end: one as it is, several frames as their sum.
 */
static void
prune_children(struct arrange *a, uint32_t i)
{
	struct trie_frame *node = a->from->node;
	uint32_t narrow = 0, frames = 0, j;
	uint32_t *wide_end = &node[i].child, *narrow_end = &narrow;

	for (j = node[i].child; j != 0; j = node[j].next) {
		if (bin(a->from, j, a->fine) >= a->cut) {
			*wide_end = j;
			wide_end = &node[j].next;
			continue;
		}
		frames += 1 + (node[j].child == 0 ? 0 : a->below[j].frames);
		*narrow_end = j;
		narrow_end = &node[j].next;
	}
	*wide_end = narrow;
	*narrow_end = 0;
	if (frames > 1)
		sum_list(a, narrow, frames);
}

/* Link a frame's children, newest first so far, in order of drawing. */
static void
sort_children(struct arrange *a, uint32_t parent)
{
	struct trie_frame *node = a->from->node;
	uint32_t i, next = 0, rank;
	size_t n = 0;

	for (i = node[parent].child; i != 0; i = node[i].next) {
		/* These are read next, and they are all over the place. */
		__builtin_prefetch(&a->from->units[0][i]);
		if (a->below != NULL)
			__builtin_prefetch(&a->below[i]);
		rank = a->rank != NULL ? a->rank[node[i].name] : i;
		a->key = mem_grow(a->key, &a->cap, n + 1, sizeof(*a->key));
		a->key[n++] = (uint64_t)rank << 32 | i;
	}
	qsort(a->key, n, sizeof(*a->key), by_key);
	while (n-- > 0) {
		i = (uint32_t)a->key[n];
		node[i].next = next;
		next = i;
	}
	node[parent].child = next;
}

/* The frames below one that is kept: which, and in which order. */
static void
choose_children(struct arrange *a, uint32_t i)
{
	const struct trie_frame *node = a->from->node;

	if (node[i].child == 0)
		return;
	if (node[node[i].child].next != 0)
		sort_children(a, i);
	if (a->below != NULL)
		prune_children(a, i);
}

/* Give a frame its new number and take it over. */
static void
put_frame(struct arrange *a, uint32_t old, uint32_t depth)
{
	struct tree *t = a->to;
	uint32_t parent = depth == 0 ? 0 : a->last[depth - 1], i = t->n++;
	int column;

	a->last = mem_grow(a->last, &a->last_cap, depth + 1, sizeof(*a->last));
	if (depth > 0 && t->node[parent].child == 0)
		t->node[parent].child = i;
	else if (depth > 0)
		t->node[a->last[depth]].next = i;
	a->last[depth] = i;
	t->node[i] = (struct trie_frame){ a->from->node[old].name, parent, 0,
					  0 };
	t->seen[i] = old;
	for (column = 0; column < t->counts; column++)
		set_total(t, i, column, tree_total(a->from, old, column));
}

/* Arrays for n frames in place of those of t. */
static void
renew(struct tree *t, size_t n)
{
	int column;

	t->n = 0;
	t->node = mem_alloc(n * sizeof(*t->node));
	t->seen = mem_alloc(n * sizeof(*t->seen));
	for (column = 0; column < t->counts; column++) {
		t->units[column] = mem_alloc(n * sizeof(*t->units[column]));
		if (t->micro[column] != NULL)
			t->micro[column] = mem_alloc(n *
						     sizeof(*t->micro[column]));
	}
}

/* Take over what is kept, in order. */
static void
take_over(struct arrange *a)
{
	uint32_t i = 0, depth = 0;

	do {
		choose_children(a, i);
		put_frame(a, i, depth);
		i = tree_next(a->from, i, &depth);
	} while (i != 0);
}

/* Where stacks end, by the new numbers: in sums for what is gone. */
static void
move_ends(struct arrange *a)
{
	struct tree *t = a->to;
	uint32_t *place = mem_zero(a->from->n, sizeof(*place)), i, up;
	size_t k;

	for (i = 0; i < t->n; i++)
		place[t->seen[i]] = i;
	for (k = 0; k < t->ends; k++) {
		for (up = t->end[k]; up != 0 && place[up] == 0;)
			up = a->from->node[up].parent;
		t->end[k] = place[up];
	}
	free(place);
}

struct count
arrange_frames(struct tree *t, uint32_t max)
{
	bool prune = t->n - 1 > max;
	struct below *below = NULL;
	uint32_t *rank = t->chart ? NULL : rank_names(t->names);
	struct tree from = *t;
	struct arrange a = { .from = &from, .to = t, .rank = rank };
	int column;

	if (!prune) {
		sum_up(&from);
	} else {
		below = mem_alloc(from.n * sizeof(*below));
		a.fine = is_fine(&from);
		a.cut = find_cut(&from, max, a.fine, below);
		a.below = below;
	}
	renew(t, prune ? (size_t)max + 1 : from.n);
	take_over(&a);
	if (t->keeps_ends)
		move_ends(&a);
	for (column = 0; column < t->counts; column++) {
		free(from.units[column]);
		free(from.micro[column]);
	}
	free(from.node);
	free(below);
	free(rank);
	free(a.key);
	free(a.last);
	return a.lost;
}
