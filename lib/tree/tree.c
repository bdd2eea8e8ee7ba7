/* tree.c - stacks merged into a tree of frames, for drawing. */
#include "tree/tree.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * A batch of stacks is looked up in the trie together.  Then each stack adds
 * the frames that the trie lacks.
 */
#define BATCH 32

/* Stack 0 is the last one of the previous batch; the next may share frames. */
struct tree_batch {
	struct trie_lookup lookup[BATCH + 1];
	struct count count[BATCH + 1][2];
	size_t begin[BATCH + 1]; /* of each stack, in id and at */
	size_t n;                /* number of stacks, including stack 0 */
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
	t->batch = mem_zero(1, sizeof(*t->batch));
	t->batch->n = 1;
	return t;
}

static void
free_private(struct tree *t)
{
	if (t->batch != NULL) {
		free(t->batch->id);
		free(t->batch->at);
	}
	free(t->batch);
	t->batch = NULL;
	trie_free(&t->trie);
	t->trie = (struct trie){ 0 };
}

void
tree_free(struct tree *t)
{
	if (t == NULL)
		return;
	free_private(t);
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

/* Make room for the counts of all frames; new ones are zero. */
static void
grow_counts(struct tree *t)
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

/* Add to a frame.  The root's sum, which is checked, is never smaller. */
static void
add_count(struct tree *t, uint32_t i, int column, struct count c)
{
	struct count sum = tree_total(t, i, column);

	count_add(&sum, c);
	set_count(t, i, column, sum);
}

/* The root has the sum of all stacks from the start, to detect overflow. */
static bool
add_root(struct tree *t, const struct count *count)
{
	struct count sum[2] = { tree_total(t, 0, 0), tree_total(t, 0, 1) };
	int column;

	grow_counts(t);
	for (column = 0; column < t->counts; column++) {
		if (!count_add(&sum[column], count[column]))
			return false;
	}
	for (column = 0; column < t->counts; column++)
		set_count(t, 0, column, sum[column]);
	return true;
}

/* The number of frames, root first, that stack k shares with the one before. */
static size_t
common_frames(const struct tree_batch *batch, size_t k)
{
	const uint32_t *a = batch->id + batch->begin[k - 1],
		       *b = batch->id + batch->begin[k];
	size_t i = 0;

	while (i < batch->lookup[k - 1].n && i < batch->lookup[k].n &&
	       a[i] == b[i])
		i++;
	return i;
}

/* Add the next frame of a chart, after the own count of its caller so far. */
static uint32_t
append_frame(struct tree *t, uint32_t parent, uint32_t name)
{
	uint32_t i = trie_append(&t->trie, parent, name);
	bool counted = parent != 0 && parent < t->counted;

	t->lead = mem_grow(t->lead, &t->lead_cap, (size_t)i + 1,
			   sizeof(*t->lead));
	t->lead[i] = counted ? tree_total(t, parent, t->counts - 1) :
			       count_of(0);
	return i;
}

/* Add the frames that the tree lacks of stack k, and its counts. */
static void
add_stack(struct tree *t, size_t k)
{
	struct trie_lookup *l = &t->batch->lookup[k];
	size_t same = common_frames(t->batch, k);
	uint32_t i, id;
	int column;

	if (same > l->found) {
		memcpy(l->at, l[-1].at, same * sizeof(*l->at));
		l->found = same;
	}
	i = l->found == 0 ? 0 : l->at[l->found - 1];
	for (; l->found < l->n; l->found++) {
		id = l->id[l->found];
		i = t->chart ? append_frame(t, i, id) :
			       trie_child(&t->trie, i, id);
		l->at[l->found] = i;
	}
	grow_counts(t);
	for (column = 0; column < t->counts; column++)
		add_count(t, i, column, t->batch->count[k][column]);
	if (!t->record_ends)
		return;
	t->end = mem_grow(t->end, &t->ends_cap, t->ends + 1, sizeof(*t->end));
	t->end[t->ends++] = i;
}

static void
add_batch(struct tree *t)
{
	struct tree_batch *b = t->batch;
	struct trie_lookup *last = &b->lookup[b->n - 1];
	size_t k;

	for (k = 0; k < b->n; k++) {
		b->lookup[k].id = b->id + b->begin[k];
		b->lookup[k].at = b->at + b->begin[k];
	}
	trie_lookup(&t->trie, b->lookup + 1, b->n - 1);
	for (k = 1; k < b->n; k++)
		add_stack(t, k);
	memmove(b->id, last->id, last->n * sizeof(*b->id));
	memmove(b->at, last->at, last->n * sizeof(*b->at));
	b->lookup[0] = *last;
	b->end = last->n;
	b->n = 1;
}

bool
tree_add(struct tree *t, const uint32_t *id, size_t n,
	 const struct count *count)
{
	struct tree_batch *b = t->batch;
	size_t k = b->n;

	if (!add_root(t, count))
		return false;
	memcpy(b->count[k], count, (size_t)t->counts * sizeof(*count));
	b->begin[k] = b->end;
	b->end += n;
	b->id = mem_grow(b->id, &b->id_cap, b->end, sizeof(*b->id));
	b->at = mem_grow(b->at, &b->at_cap, b->end, sizeof(*b->at));
	memcpy(b->id + b->begin[k], id, n * sizeof(*id));
	b->lookup[k] = (struct trie_lookup){ .n = n };
	/* A stack that follows its neighbour needs no lookup. */
	b->lookup[k].done = t->chart || n == 0 || 2 * common_frames(b, k) > n;
	if (++b->n == BATCH + 1)
		add_batch(t);
	return true;
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

/* Order of drawing. */

/* Widths are sorted into bins: 64 for each power of two. */
#define BIN_BITS 6
#define NBINS ((64 << BIN_BITS) + 1)

/* The callees of a frame. */
struct tree_callees {
	uint32_t frames;    /* number of frames, callees of callees included */
	uint16_t narrowest; /* bin of the narrowest child */
};

/* State of the copy from the numbers of the trie to the order of drawing. */
struct tree_layout {
	struct tree *from, *to;
	const uint32_t *rank;               /* of names; NULL in a chart */
	const struct tree_callees *callees; /* NULL: keep all frames */
	size_t cut;    /* keep frames of this bin and above */
	bool in_micro; /* widths are in millionths */
	struct count pruned;
	uint64_t *key; /* to sort siblings: rank, then number */
	size_t cap;
	uint32_t *last; /* at each depth, the last new frame */
	size_t last_cap;
};

/* Add a frame's counts, which include its children's, to its parent. */
static void
add_to_parent(struct tree *t, uint32_t i)
{
	uint32_t parent = t->node[i].parent;
	struct count sum;
	int column;

	/* The root already has the sum of all stacks. */
	for (column = 0; parent != 0 && column < t->counts; column++) {
		sum = tree_total(t, parent, column);
		count_add(&sum, tree_total(t, i, column));
		set_count(t, parent, column, sum);
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
width_bin(uint64_t width)
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

/* Whether there are decimals, and the total in millionths fits 64 bits. */
static bool
needs_micro(const struct tree *t)
{
	bool has_micro = false;
	int column;

	for (column = 0; column < t->counts; column++) {
		if (t->units[column][0] >= UINT64_MAX / 1000000)
			return false;
		has_micro |= t->micro[column] != NULL;
	}
	return has_micro;
}

/* A frame's bin is never above its parent's; the root's is above all. */
static size_t
frame_bin(const struct tree *t, uint32_t i, bool in_micro)
{
	uint64_t width = 0, one;
	struct count c;
	int column;

	if (i == 0)
		return NBINS;
	for (column = 0; column < t->counts; column++) {
		c = tree_total(t, i, column);
		one = in_micro ? c.units * 1000000 + c.micro : c.units;
		width = one > width ? one : width;
	}
	return width_bin(width);
}

/* Note frame i, of bin own, for its parent.  The newest child comes first. */
static void
note_callee(const struct tree *t, uint32_t i, size_t own,
	    struct tree_callees *callees)
{
	uint32_t parent = t->node[i].parent;
	struct tree_callees *c = &callees[parent];

	if (t->node[parent].child == i)
		*c = (struct tree_callees){ 0, (uint16_t)own };
	if (c->narrowest > own)
		c->narrowest = (uint16_t)own;
	c->frames += 1 + (t->node[i].child == 0 ? 0 : callees[i].frames);
}

/*
 * Compute totals, and find the lowest bin such that the frames of this bin and
 * above, with their "(N more)" frames, are at most max.  A frame needs "(N
 * more)" if it is kept and its narrowest child is not.
 */
static size_t
find_cut(struct tree *t, uint32_t max, bool in_micro,
	 struct tree_callees *callees)
{
	size_t n = 0, cut = NBINS, *bins = mem_zero(NBINS + 1, sizeof(*bins));
	size_t own, narrowest;
	uint32_t i;

	for (i = t->n - 1;; i--) {
		own = frame_bin(t, i, in_micro);
		narrowest = t->node[i].child == 0 ? own : callees[i].narrowest;
		/*
		 * With a cut above narrowest, up to own, the frame counts
		 * twice: itself and its "(N more)".  With a lower cut it counts
		 * once.
		 */
		bins[own] += narrowest < own ? 2 : 1;
		bins[narrowest] -= narrowest < own;
		if (i == 0)
			break;
		note_callee(t, i, own, callees);
		add_to_parent(t, i);
	}
	/* + 1: the root is in the top bin, but is not drawn. */
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

/* The rank of each name when all are sorted by bytes. */
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

/* Make frame i the "(N more)" of the list that begins with it. */
static void
make_more(struct tree_layout *l, uint32_t i, uint32_t frames)
{
	struct tree *t = l->from;
	struct buf name = { 0 };
	struct count sum;
	uint32_t j;
	int column;

	for (column = 0; column < t->counts; column++) {
		sum = tree_total(t, i, column);
		for (j = t->node[i].next; j != 0; j = t->node[j].next)
			count_add(&sum, tree_total(t, j, column));
		set_count(t, i, column, sum);
	}
	/* For move_ends(): stacks that ended in one of them end here. */
	for (j = t->node[i].next; j != 0; j = t->node[j].next)
		t->node[j].parent = i;
	buf_printf(&name, "(%" PRIu32 " more)", frames);
	t->node[i].name = intern_id(t->names, buf_slice(&name));
	t->node[i].child = t->node[i].next = 0;
	buf_free(&name);
	count_add(&l->pruned, tree_total(t, i, t->counts - 1));
	l->to->pruned += frames;
}

/*
 * Move the narrow children of a frame to the end of their list.  Replace them
 * by "(N more)" if that saves frames.
 */
static void
prune_children(struct tree_layout *l, uint32_t i)
{
	struct trie_frame *node = l->from->node;
	uint32_t narrow = 0, frames = 0, j;
	uint32_t *wide_end = &node[i].child, *narrow_end = &narrow;

	for (j = node[i].child; j != 0; j = node[j].next) {
		if (frame_bin(l->from, j, l->in_micro) >= l->cut) {
			*wide_end = j;
			wide_end = &node[j].next;
			continue;
		}
		frames += 1 + (node[j].child == 0 ? 0 : l->callees[j].frames);
		*narrow_end = j;
		narrow_end = &node[j].next;
	}
	*wide_end = narrow;
	*narrow_end = 0;
	if (frames > 1)
		make_more(l, narrow, frames);
}

/* Link a frame's children, so far newest first, in the order of drawing. */
static void
sort_children(struct tree_layout *l, uint32_t parent)
{
	struct trie_frame *node = l->from->node;
	uint32_t i, next = 0, rank;
	size_t n = 0;

	for (i = node[parent].child; i != 0; i = node[i].next) {
		/* These are read next, from scattered places. */
		__builtin_prefetch(&l->from->units[0][i]);
		if (l->callees != NULL)
			__builtin_prefetch(&l->callees[i]);
		rank = l->rank != NULL ? l->rank[node[i].name] : i;
		l->key = mem_grow(l->key, &l->cap, n + 1, sizeof(*l->key));
		l->key[n++] = (uint64_t)rank << 32 | i;
	}
	qsort(l->key, n, sizeof(*l->key), by_key);
	while (n-- > 0) {
		i = (uint32_t)l->key[n];
		node[i].next = next;
		next = i;
	}
	node[parent].child = next;
}

/* Sort the children of a frame and prune them. */
static void
layout_children(struct tree_layout *l, uint32_t i)
{
	const struct trie_frame *node = l->from->node;

	if (node[i].child == 0)
		return;
	if (node[node[i].child].next != 0)
		sort_children(l, i);
	if (l->callees != NULL)
		prune_children(l, i);
}

/* Copy a frame to its new number. */
static void
copy_frame(struct tree_layout *l, uint32_t old, uint32_t depth)
{
	struct tree *t = l->to;
	uint32_t parent = depth == 0 ? 0 : l->last[depth - 1], i = t->n++;
	int column;

	l->last = mem_grow(l->last, &l->last_cap, depth + 1, sizeof(*l->last));
	if (depth > 0 && t->node[parent].child == 0)
		t->node[parent].child = i;
	else if (depth > 0)
		t->node[l->last[depth]].next = i;
	l->last[depth] = i;
	t->node[i] = (struct trie_frame){ l->from->node[old].name, parent, 0,
					  0 };
	t->seen[i] = old;
	for (column = 0; column < t->counts; column++)
		set_count(t, i, column, tree_total(l->from, old, column));
}

/* Replace the arrays of t by new ones for n frames. */
static void
allocate(struct tree *t, size_t n)
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

/* Copy the frames that are kept, in the order of drawing. */
static void
copy_frames(struct tree_layout *l)
{
	uint32_t i = 0, depth = 0;

	do {
		layout_children(l, i);
		copy_frame(l, i, depth);
		i = tree_next(l->from, i, &depth);
	} while (i != 0);
}

/* Renumber the ends of stacks; for pruned frames it is "(N more)". */
static void
move_ends(struct tree_layout *l)
{
	struct tree *t = l->to;
	uint32_t *place = mem_zero(l->from->n, sizeof(*place)), i, up;
	size_t k;

	for (i = 0; i < t->n; i++)
		place[t->seen[i]] = i;
	for (k = 0; k < t->ends; k++) {
		for (up = t->end[k]; up != 0 && place[up] == 0;)
			up = l->from->node[up].parent;
		t->end[k] = place[up];
	}
	free(place);
}

static struct count
layout_frames(struct tree *t, uint32_t max)
{
	bool prune = t->n - 1 > max;
	struct tree_callees *callees = NULL;
	uint32_t *rank = t->chart ? NULL : rank_names(t->names);
	struct tree from = *t;
	struct tree_layout l = { .from = &from, .to = t, .rank = rank };
	int column;

	if (!prune) {
		sum_up(&from);
	} else {
		callees = mem_alloc(from.n * sizeof(*callees));
		l.in_micro = needs_micro(&from);
		l.cut = find_cut(&from, max, l.in_micro, callees);
		l.callees = callees;
	}
	allocate(t, prune ? (size_t)max + 1 : from.n);
	copy_frames(&l);
	if (t->record_ends)
		move_ends(&l);
	for (column = 0; column < t->counts; column++) {
		free(from.units[column]);
		free(from.micro[column]);
	}
	free(from.node);
	free(callees);
	free(rank);
	free(l.key);
	free(l.last);
	return l.pruned;
}

struct count
tree_finish(struct tree *t, uint32_t max)
{
	if (t->batch->n > 1)
		add_batch(t);
	grow_counts(t);
	t->node = t->trie.frame;
	t->n = t->trie.n;
	t->trie.frame = NULL;
	free_private(t);
	return layout_frames(t, max);
}

struct count
tree_self(const struct tree *t, uint32_t i, int column)
{
	struct count c = tree_total(t, i, column), kid;

	for (i = t->node[i].child; i != 0; i = t->node[i].next) {
		kid = tree_total(t, i, column);
		assert(count_cmp(kid, c) <= 0);
		c = count_sub(c, kid);
	}
	return c;
}
