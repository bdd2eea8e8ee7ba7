/* treelayout.c - a tree of runs as a tree of frames in the order of drawing. */
#include "tree/treelayout.h"

#include "base/buf.h"
#include "base/mem.h"
#include "tree/widthbin.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a run calls. */
struct treelayout_callees {
	uint32_t frames;    /* number of frames, callees of callees included */
	uint16_t narrowest; /* bin of the narrowest child */
};

/* A run among its siblings; start has the first bytes of its name. */
struct treelayout_sibling {
	uint64_t start;
	uint32_t run;
};

/* State of the copy from runs to the order of drawing. */
struct treelayout {
	struct runtree *from;
	struct tree *to;
	const struct treelayout_callees *callees; /* NULL: keep all frames */
	size_t cut;    /* keep frames of this bin and above */
	bool in_micro; /* widths are in millionths */
	struct count pruned;
	struct treelayout_sibling *sibling; /* scratch memory */
	size_t cap;
	uint32_t *more; /* for move_ends(): the "(N more)" of a pruned frame */
};

static uint32_t
frames_of(const struct run *r)
{
	return r->last - r->first + 1;
}

/* Add a run's counts, which include its children's, to its parent. */
static void
add_to_parent(struct runtree *t, uint32_t i)
{
	uint32_t parent = t->run[i].parent;
	struct count sum;
	int column;

	/* The root already has the sum of all stacks. */
	for (column = 0; parent != 0 && column < t->counts; column++) {
		sum = runtree_count(t, parent, column);
		count_add(&sum, runtree_count(t, i, column));
		runtree_set_count(t, parent, column, sum);
	}
}

static void
sum_up(struct runtree *t)
{
	uint32_t i;

	for (i = t->n - 1; i > 0; i--)
		add_to_parent(t, i);
}

/* Whether there are decimals, and the total in millionths fits 64 bits. */
static bool
needs_micro(const struct runtree *t)
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

/* A run's bin is never above its parent's; the root's is above all. */
static size_t
run_bin(const struct runtree *t, uint32_t i, bool in_micro)
{
	uint64_t width = 0, one;
	struct count c;
	int column;

	if (i == 0)
		return WIDTHBINS;
	for (column = 0; column < t->counts; column++) {
		c = runtree_count(t, i, column);
		one = in_micro ? c.units * 1000000 + c.micro : c.units;
		width = one > width ? one : width;
	}
	return widthbin(width);
}

/* Note run i, of bin own, for its parent.  The last sibling comes first. */
static void
note_callee(const struct runtree *t, uint32_t i, size_t own,
	    struct treelayout_callees *callees)
{
	const struct run *r = &t->run[i];
	struct treelayout_callees *c = &callees[r->parent];

	if (r->next == 0)
		*c = (struct treelayout_callees){ 0, (uint16_t)own };
	if (c->narrowest > own)
		c->narrowest = (uint16_t)own;
	c->frames += frames_of(r) + (r->child == 0 ? 0 : callees[i].frames);
}

/*
 * Compute totals, and find the lowest bin such that the frames of this bin and
 * above, with their "(N more)" frames, are at most max.  A frame needs "(N
 * more)" if it is kept and its narrowest child is not.
 */
static size_t
find_cut(struct runtree *t, uint32_t max, bool in_micro,
	 struct treelayout_callees *callees)
{
	size_t n = 0, cut = WIDTHBINS,
	       *bins = mem_zero(WIDTHBINS + 1, sizeof(*bins));
	size_t own, narrowest;
	uint32_t i;

	for (i = t->n - 1;; i--) {
		own = run_bin(t, i, in_micro);
		narrowest = t->run[i].child == 0 ? own : callees[i].narrowest;
		/*
		 * With a cut above narrowest, up to own, the last frame counts
		 * twice: itself and its "(N more)".  With a lower cut it counts
		 * once.
		 */
		bins[own] += frames_of(&t->run[i]) + (narrowest < own);
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

/* Note that stacks which ended in run i, or in what it calls, end in "more". */
static void
note_pruned(const struct treelayout *l, uint32_t i, uint32_t more)
{
	const struct runtree *t = l->from;
	uint32_t top = i, frame;

	if (l->more == NULL)
		return;
	do {
		for (frame = t->run[i].first; frame <= t->run[i].last; frame++)
			l->more[frame] = more;
	} while (++i < t->n && t->run[i].parent >= top);
}

static struct str
name_of(const struct treelayout *l, uint32_t i)
{
	return intern_name(l->to->names, l->from->run[i].name);
}

/* Make run i the "(N more)" of the list that begins with it. */
static void
make_more(struct treelayout *l, uint32_t i, uint32_t frames)
{
	struct runtree *t = l->from;
	struct run *r = &t->run[i];
	struct buf name = { 0 };
	struct count sum;
	uint32_t j;
	int column;

	for (column = 0; column < t->counts; column++) {
		sum = runtree_count(t, i, column);
		for (j = r->next; j != 0; j = t->run[j].next)
			count_add(&sum, runtree_count(t, j, column));
		runtree_set_count(t, i, column, sum);
	}
	for (j = i; j != 0; j = t->run[j].next)
		note_pruned(l, j, r->first);
	buf_printf(&name, "(%" PRIu32 " more)", frames);
	t->name[r->first] = intern_id(l->to->names, buf_slice(&name));
	r->last = r->first;
	r->child = r->next = 0;
	buf_free(&name);
	count_add(&l->pruned, runtree_count(t, i, t->counts - 1));
	l->to->pruned += frames;
}

/*
 * Take the narrow children off the list of a run.  Returns 0, or the one to
 * draw for all of them: "(N more)" if that saves frames.  That one has the
 * place of the first child by name, in the order of the input as well.
 */
static uint32_t
prune_children(struct treelayout *l, uint32_t i)
{
	struct run *run = l->from->run;
	uint32_t *wide_end = &run[i].child, first = 0, frames = 0, j, next;
	const bool sorted = runtree_came_sorted(l->from, i);

	for (j = run[i].child; j != 0; j = next) {
		next = run[j].next;
		if (run_bin(l->from, j, l->in_micro) >= l->cut) {
			*wide_end = j;
			wide_end = &run[j].next;
			continue;
		}
		frames += frames_of(&run[j]) +
			  (run[j].child == 0 ? 0 : l->callees[j].frames);
		if (first == 0 || sorted ||
		    str_cmp(name_of(l, j), name_of(l, first)) < 0) {
			run[j].next = first;
			first = j;
		} else {
			run[j].next = run[first].next;
			run[first].next = j;
		}
	}
	*wide_end = 0;
	if (frames > 1)
		make_more(l, first, frames);
	return first;
}

static uint64_t
first_bytes(struct str name)
{
	uint64_t word = 0;

	memcpy(&word, name.p,
	       name.len < sizeof(word) ? name.len : sizeof(word));
	return be64toh(word);
}

static int
by_order(const void *a, const void *b, void *layout)
{
	const struct treelayout_sibling *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return str_cmp(name_of(layout, x->run), name_of(layout, y->run));
}

/* Collect the children of a run, newest first; returns their number. */
static size_t
collect_children(struct treelayout *l, uint32_t parent, bool sorted)
{
	const struct run *run = l->from->run;
	size_t n = 0;
	uint32_t i;

	for (i = run[parent].child; i != 0; i = run[i].next) {
		l->sibling = mem_grow(l->sibling, &l->cap, n + 1,
				      sizeof(*l->sibling));
		l->sibling[n++] = (struct treelayout_sibling){
			sorted ? 0 : first_bytes(name_of(l, i)), i
		};
	}
	return n;
}

/*
 * Link a run's children in the order of drawing, by time in a chart and else by
 * name, and last after them.
 */
static void
sort_children(struct treelayout *l, uint32_t parent, uint32_t last)
{
	struct run *run = l->from->run;
	const bool sorted = runtree_came_sorted(l->from, parent);
	size_t n = collect_children(l, parent, sorted), i;
	uint32_t next = last, child;

	if (!sorted && n > 1)
		qsort_r(l->sibling, n, sizeof(*l->sibling), by_order, l);
	for (i = 0; i < n; i++) {
		child = l->sibling[sorted ? i : n - 1 - i].run;
		run[child].next = next;
		next = child;
	}
	run[parent].child = next;
}

/* Prune the children of a run and sort them. */
static void
layout_children(struct treelayout *l, uint32_t i)
{
	const struct run *run = l->from->run;
	uint32_t last = 0;

	if (run[i].child == 0)
		return;
	if (l->callees != NULL)
		last = prune_children(l, i);
	if (last != 0 || run[run[i].child].next != 0)
		sort_children(l, i, last);
}

static void
set_total(struct tree *t, uint32_t i, int column, struct count c)
{
	t->units[column][i] = c.units;
	if (t->micro[column] != NULL)
		t->micro[column][i] = c.micro;
}

/* Copy a run's frames.  From then on, it has their new numbers. */
static void
copy_run(struct treelayout *l, uint32_t run)
{
	struct tree *t = l->to;
	struct run *r = &l->from->run[run];
	uint32_t parent = l->from->run[r->parent].last, first = t->n, i, old;
	int column;

	layout_children(l, run);
	for (old = r->first; old <= r->last; old++) {
		i = t->n++;
		t->node[i] = (struct trie_frame){ l->from->name[old], parent,
						  old < r->last ? i + 1 : 0,
						  0 };
		t->seen[i] = old;
		for (column = 0; column < t->counts; column++)
			set_total(t, i, column,
				  runtree_count(l->from, run, column));
		parent = i;
	}
	r->first = first;
	r->last = t->n - 1;
}

/* Copy the runs that are kept, in the order of drawing. */
static void
copy_runs(struct treelayout *l)
{
	const struct run *run = l->from->run;
	struct trie_frame *node = l->to->node;
	uint32_t i = 0, next;

	copy_run(l, 0);
	for (;; i = next) {
		if (run[i].child != 0) {
			next = run[i].child;
			copy_run(l, next);
			node[run[i].last].child = run[next].first;
			continue;
		}
		while (i != 0 && run[i].next == 0)
			i = run[i].parent;
		if (i == 0)
			break;
		next = run[i].next;
		copy_run(l, next);
		node[run[i].first].next = run[next].first;
	}
}

/* Make arrays for n frames. */
static void
allocate(struct tree *t, const struct runtree *from, size_t n)
{
	int column;

	t->node = mem_alloc(n * sizeof(*t->node));
	t->seen = mem_alloc(n * sizeof(*t->seen));
	for (column = 0; column < t->counts; column++) {
		t->units[column] = mem_alloc(n * sizeof(*t->units[column]));
		if (from->micro[column] != NULL)
			t->micro[column] = mem_alloc(n *
						     sizeof(*t->micro[column]));
	}
}

/* Renumber the ends of stacks; for pruned frames it is "(N more)". */
static void
move_ends(struct treelayout *l)
{
	struct tree *t = l->to;
	uint32_t *place = mem_zero(l->from->frames, sizeof(*place)), i, old;
	size_t k;

	for (i = 0; i < t->n; i++)
		place[t->seen[i]] = i;
	for (k = 0; k < t->ends; k++) {
		old = t->end[k];
		if (l->more != NULL && l->more[old] != 0)
			old = l->more[old];
		t->end[k] = place[old];
	}
	free(place);
}

/* The arrays that stay as they are. */
static void
take_arrays(struct tree *t, struct runtree *runs)
{
	t->end = runs->end;
	t->ends = runs->ends;
	t->lead = runs->lead;
	runs->end = NULL;
	runs->lead = NULL;
}

struct count
treelayout_finish(struct tree *t, struct runtree *runs, uint32_t max)
{
	bool prune = runs->frames - 1 > max;
	struct treelayout_callees *callees = NULL;
	struct treelayout l = { .from = runs, .to = t };

	take_arrays(t, runs);
	if (!prune) {
		sum_up(runs);
	} else {
		callees = mem_alloc(runs->n * sizeof(*callees));
		l.in_micro = needs_micro(runs);
		l.cut = find_cut(runs, max, l.in_micro, callees);
		l.callees = callees;
		if (t->record_ends)
			l.more = mem_zero(runs->frames, sizeof(*l.more));
	}
	allocate(t, runs, prune ? (size_t)max + 1 : runs->frames);
	copy_runs(&l);
	if (t->record_ends)
		move_ends(&l);
	free(callees);
	free(l.sibling);
	free(l.more);
	return l.pruned;
}
