/* runtree.c - stacks merged into a tree of runs of frames, while it grows. */
#include "tree/runtree.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

/*
 * A batch of stacks is looked up together: a tree of millions of runs is not
 * in the caches, so the lookups advance in turn and wait for memory together.
 * Then each stack adds the frames that the tree lacks.
 */
#define BATCH 32

/* A run on the way of a stack, which enters it with a frame of this depth. */
struct runtree_step {
	uint32_t run;
	size_t depth;
};

/* A stack and how far it was found. */
struct runtree_path {
	const uint32_t *id;
	struct runtree_step *step;
	size_t n, found, nsteps; /* frames in all, frames found, their runs */
	uint32_t run, frame;     /* the last one found */
	bool done;               /* nothing left to look up */
};

/* Path 0 is the last one of the previous batch; the next may share frames. */
struct runtree_batch {
	struct runtree_path path[BATCH + 1];
	struct count count[BATCH + 1][2];
	size_t begin[BATCH + 1]; /* of each stack, in id and step */
	size_t n;                /* number of stacks, including stack 0 */
	uint32_t *id;
	struct runtree_step *step;
	size_t end, id_cap, step_cap;
};

struct runtree *
runtree_new(const struct intern *names, int counts, bool chart)
{
	struct runtree *t = mem_zero(1, sizeof(*t));

	t->names = names;
	t->counts = counts;
	t->chart = chart;
	t->n = t->frames = 1;
	t->name = mem_grow(NULL, &t->name_cap, 1, sizeof(*t->name));
	t->name[0] = UINT32_MAX;
	t->run = mem_grow(NULL, &t->run_cap, 1, sizeof(*t->run));
	t->run[0] = (struct run){ .name = UINT32_MAX };
	t->has_slots = mem_grow(NULL, &t->has_slots_cap, 1, 1);
	t->has_slots[0] = 0;
	childslots_init(&t->slots);
	t->batch = mem_zero(1, sizeof(*t->batch));
	t->batch->n = 1;
	return t;
}

static void
free_batch(struct runtree *t)
{
	if (t->batch == NULL)
		return;
	free(t->batch->id);
	free(t->batch->step);
	free(t->batch);
	t->batch = NULL;
}

void
runtree_free(struct runtree *t)
{
	if (t == NULL)
		return;
	free_batch(t);
	childslots_free(&t->slots);
	free(t->has_slots);
	free(t->name);
	free(t->run);
	free(t->units[0]);
	free(t->units[1]);
	free(t->micro[0]);
	free(t->micro[1]);
	free(t->end);
	free(t->lead);
	free(t);
}

/* Counts. */

void
runtree_set_count(struct runtree *t, uint32_t i, int column, struct count c)
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

/* Make room for the counts of run i, the newest one; they are zero. */
static void
begin_counts(struct runtree *t, uint32_t i)
{
	size_t n = (size_t)i + 1;
	int c;

	for (c = 0; c < t->counts; c++) {
		t->units[c] = mem_grow(t->units[c], &t->units_cap[c], n,
				       sizeof(*t->units[c]));
		t->units[c][i] = 0;
		if (t->micro[c] == NULL)
			continue;
		t->micro[c] = mem_grow(t->micro[c], &t->micro_cap[c], n,
				       sizeof(*t->micro[c]));
		t->micro[c][i] = 0;
	}
}

/* The root has the sum of all stacks from the start, to detect overflow. */
static bool
add_root(struct runtree *t, const struct count *count)
{
	struct count sum[2];
	int column;

	if (t->units[0] == NULL)
		begin_counts(t, 0);
	for (column = 0; column < t->counts; column++) {
		sum[column] = runtree_count(t, 0, column);
		if (!count_add(&sum[column], count[column]))
			return false;
	}
	for (column = 0; column < t->counts; column++)
		runtree_set_count(t, 0, column, sum[column]);
	return true;
}

/* Add to a run.  The root's sum, which is checked, is never smaller. */
static void
add_counts(struct runtree *t, uint32_t i, const struct count *count)
{
	struct count sum;
	int column;

	for (column = 0; column < t->counts; column++) {
		sum = runtree_count(t, i, column);
		count_add(&sum, count[column]);
		runtree_set_count(t, i, column, sum);
	}
}

/* Runs. */

static void
set_slots(uint8_t *slots, uint32_t run, bool has)
{
	uint8_t *byte = &slots[run / 8], bit = (uint8_t)(1 << run % 8);

	*byte = (uint8_t)(has ? *byte | bit : *byte & ~bit);
}

static void
add_slot(struct runtree *t, uint32_t child)
{
	const struct run *r = &t->run[child];

	childslots_put(&t->slots,
		       childslots_hash(&t->slots, r->parent, r->name), child);
}

/* Whether name sorts after the newest child of a run without slots. */
static bool
sorts_last(const struct runtree *t, uint32_t run, uint32_t name)
{
	const struct run *newest = &t->run[t->run[run].child];

	return str_cmp(intern_name(t->names, name),
		       intern_name(t->names, newest->name)) > 0;
}

/* Put the children of a run into the table, all but the newest one. */
static void
add_slots(struct runtree *t, uint32_t run)
{
	uint32_t i;

	for (i = t->run[t->run[run].child].next; i != 0; i = t->run[i].next)
		add_slot(t, i);
	set_slots(t->has_slots, run, true);
}

static uint32_t
find_child(struct runtree *t, uint32_t run, uint32_t name)
{
	uint32_t i = t->run[run].child, hash;
	size_t at;

	/* As in a trie, the newest child is not in the hash table. */
	if (i == 0 || t->run[i].name == name)
		return i;
	if (runtree_came_sorted(t, run)) {
		if (t->run[i].next == 0 || sorts_last(t, run, name))
			return 0;
		add_slots(t, run);
	}
	at = hash = childslots_hash(&t->slots, t->run[run].last, name);
	while ((i = childslots_next(&t->slots, hash, &at)) != 0) {
		if (t->run[i].parent == t->run[run].last &&
		    t->run[i].name == name)
			break;
	}
	return i;
}

static uint32_t
new_run(struct runtree *t, struct run run)
{
	uint32_t i = t->n++;

	t->run = mem_grow(t->run, &t->run_cap, t->n, sizeof(*t->run));
	t->run[i] = run;
	t->has_slots = mem_grow(t->has_slots, &t->has_slots_cap, i / 8 + 1, 1);
	set_slots(t->has_slots, i, false);
	begin_counts(t, i);
	return i;
}

/* Make a run end with this frame; what followed becomes a run of its own. */
static void
split(struct runtree *t, uint32_t i, uint32_t frame)
{
	struct run *r = &t->run[i];
	uint32_t rest;
	int column;

	if (r->last == frame)
		return;
	rest = new_run(t, (struct run){ frame + 1, r->last, t->name[frame + 1],
					frame, r->child, 0 });
	set_slots(t->has_slots, rest, !runtree_came_sorted(t, i));
	set_slots(t->has_slots, i, false);
	r = &t->run[i];
	r->last = frame;
	r->child = rest;
	for (column = 0; column < t->counts; column++) {
		runtree_set_count(t, rest, column, runtree_count(t, i, column));
		runtree_set_count(t, i, column, count_of(0));
	}
}

/* The leads of the frames from first on are 0 but for the first one's. */
static void
begin_lead(struct runtree *t, uint32_t first, uint32_t caller)
{
	int column = t->counts - 1;

	t->lead = mem_grow(t->lead, &t->lead_cap, t->frames, sizeof(*t->lead));
	memset(t->lead + first, 0, (t->frames - first) * sizeof(*t->lead));
	if (caller != 0)
		t->lead[first] = runtree_count(t, caller, column);
}

/* Add a run of n frames, at least one, below the last frame of another. */
static uint32_t
append(struct runtree *t, uint32_t caller, const uint32_t *id, size_t n)
{
	uint32_t newest = t->run[caller].child, first = t->frames, i;
	uint32_t parent = t->run[caller].last;

	if (n >= UINT32_MAX - t->frames)
		errx(2, "more than %u frames", UINT32_MAX - 1);
	t->name = mem_grow(t->name, &t->name_cap, t->frames + n,
			   sizeof(*t->name));
	memcpy(t->name + first, id, n * sizeof(*id));
	t->frames += (uint32_t)n;
	if (newest != 0 && !t->chart) {
		if (runtree_came_sorted(t, caller) &&
		    !sorts_last(t, caller, id[0]))
			add_slots(t, caller);
		/* The newest child heads the list, the one before is found. */
		if (!runtree_came_sorted(t, caller))
			add_slot(t, newest);
	}
	i = new_run(
	    t, (struct run){ first, t->frames - 1, id[0], parent, 0, newest });
	t->run[caller].child = i;
	if (t->chart)
		begin_lead(t, first, caller);
	return i;
}

/* Lookup. */

/* Begin with frames that another path has in common. */
static void
join(const struct runtree *t, struct runtree_path *p,
     const struct runtree_path *other, size_t same)
{
	const struct runtree_step *last;

	p->nsteps = other->nsteps;
	while (p->nsteps > 0 && other->step[p->nsteps - 1].depth >= same)
		p->nsteps--;
	if (p->nsteps == 0)
		return;
	memcpy(p->step, other->step, p->nsteps * sizeof(*p->step));
	last = &p->step[p->nsteps - 1];
	p->found = same;
	p->run = last->run;
	p->frame = t->run[last->run].first + (uint32_t)(same - 1 - last->depth);
}

/* The run of the last frame found, if it was split since then. */
static void
find_run(struct runtree *t, struct runtree_path *p)
{
	const struct run *r;

	while (r = &t->run[p->run], p->frame > r->last)
		p->run = find_child(t, p->run, t->name[r->last + 1]);
}

static void
enter(const struct runtree *t, struct runtree_path *p, uint32_t run)
{
	p->step[p->nsteps++] = (struct runtree_step){ run, p->found };
	p->run = run;
	p->frame = t->run[run].first;
	p->found++;
}

/* Find more frames in the run; false if the stack leaves it or ends in it. */
static bool
follow_run(const struct runtree *t, struct runtree_path *p)
{
	uint32_t last = t->run[p->run].last;

	while (p->found < p->n && p->frame < last &&
	       t->name[p->frame + 1] == p->id[p->found]) {
		p->frame++;
		p->found++;
	}
	return p->found < p->n && p->frame == last;
}

/* Find the callees of a run; false if the tree does not have them. */
static bool
enter_next(struct runtree *t, struct runtree_path *p)
{
	uint32_t run = find_child(t, p->run, p->id[p->found]);

	if (run != 0)
		enter(t, p, run);
	return run != 0;
}

/*
 * Prefetch what append() writes if there is no such callee: the newest one gets
 * a slot.
 */
static void
prefetch_append(const struct runtree *t, const struct runtree_path *p)
{
	const struct run *r = &t->run[p->run];

	__builtin_prefetch(
	    childslots_at(&t->slots, childslots_hash(&t->slots, r->last,
						     t->run[r->child].name)));
}

/* Prefetch what enter_next() reads first. */
static void
prefetch_child(const struct runtree *t, const struct runtree_path *p)
{
	const struct run *r = &t->run[p->run];

	__builtin_prefetch(&t->run[r->child]);
	__builtin_prefetch(childslots_at(
	    &t->slots, childslots_hash(&t->slots, r->last, p->id[p->found])));
}

static void
prefetch_slot(const struct runtree *t, const struct runtree_path *p)
{
	const uint64_t *slot = childslots_at(
	    &t->slots,
	    childslots_hash(&t->slots, t->run[p->run].last, p->id[p->found]));

	__builtin_prefetch(&t->run[(uint32_t)*slot]);
}

/* Find as many frames of each path as the tree has. */
static void
look_up(struct runtree *t, struct runtree_path *path, size_t n)
{
	struct runtree_path *p, *end = path + n;
	bool more = true;

	while (more) {
		more = false;
		for (p = path; p < end; p++) {
			p->done = p->done || !follow_run(t, p);
			if (!p->done)
				prefetch_child(t, p);
		}
		for (p = path; p < end; p++) {
			if (!p->done)
				prefetch_slot(t, p);
		}
		for (p = path; p < end; p++) {
			if (p->done)
				continue;
			p->done = !enter_next(t, p);
			if (p->done)
				prefetch_append(t, p);
			else
				__builtin_prefetch(&t->name[p->frame]);
			more |= !p->done;
		}
	}
}

/* Batches. */

/* The number of frames, root first, that stack k shares with the one before. */
static size_t
common_frames(const struct runtree_batch *b, size_t k)
{
	const uint32_t *x = b->id + b->begin[k - 1], *y = b->id + b->begin[k];
	size_t i = 0;

	while (i < b->path[k - 1].n && i < b->path[k].n && x[i] == y[i])
		i++;
	return i;
}

/* Add the frames that the tree lacks of stack k, and its counts. */
static void
add_stack(struct runtree *t, size_t k)
{
	struct runtree_path *p = &t->batch->path[k];
	size_t same = common_frames(t->batch, k);

	if (same > p->found)
		join(t, p, p - 1, same);
	find_run(t, p);
	/* An earlier stack of the batch may have added some of the frames. */
	while (follow_run(t, p) && !t->chart && enter_next(t, p))
		;
	split(t, p->run, p->frame);
	if (p->found < p->n) {
		enter(t, p,
		      append(t, p->run, p->id + p->found, p->n - p->found));
		p->found = p->n;
		p->frame = t->frames - 1;
	}
	add_counts(t, p->run, t->batch->count[k]);
	if (!t->record_ends)
		return;
	t->end = mem_grow(t->end, &t->ends_cap, t->ends + 1, sizeof(*t->end));
	t->end[t->ends++] = p->frame;
}

static void
add_batch(struct runtree *t)
{
	struct runtree_batch *b = t->batch;
	struct runtree_path *last = &b->path[b->n - 1];
	size_t k;

	for (k = 0; k < b->n; k++) {
		b->path[k].id = b->id + b->begin[k];
		b->path[k].step = b->step + b->begin[k];
	}
	look_up(t, b->path + 1, b->n - 1);
	for (k = 1; k < b->n; k++)
		add_stack(t, k);
	memmove(b->id, last->id, last->n * sizeof(*b->id));
	memmove(b->step, last->step, last->nsteps * sizeof(*b->step));
	b->path[0] = *last;
	b->end = last->n;
	b->n = 1;
}

bool
runtree_add(struct runtree *t, const uint32_t *id, size_t n,
	    const struct count *count)
{
	struct runtree_batch *b = t->batch;
	size_t k = b->n;

	if (!add_root(t, count))
		return false;
	memcpy(b->count[k], count, (size_t)t->counts * sizeof(*count));
	b->begin[k] = b->end;
	b->end += n;
	b->id = mem_grow(b->id, &b->id_cap, b->end, sizeof(*b->id));
	b->step = mem_grow(b->step, &b->step_cap, b->end, sizeof(*b->step));
	memcpy(b->id + b->begin[k], id, n * sizeof(*id));
	b->path[k] = (struct runtree_path){ .n = n };
	/* A stack that follows its neighbour needs no lookup. */
	b->path[k].done = t->chart || 2 * common_frames(b, k) > n;
	if (++b->n == BATCH + 1)
		add_batch(t);
	return true;
}

/* Order. */

/* The new runs and counts, and the runs whose sisters come later. */
struct runtree_order {
	struct runtree *tree;
	struct run *run;
	uint64_t *units[2];
	uint32_t *micro[2];
	uint8_t *has_slots;
	uint32_t n;
	struct runtree_later {
		uint32_t sister, number; /* old number; the new one before it */
	} * later;
	size_t depth, cap;
};

/* Copy run i, which the new run caller calls, to its place. */
static void
move_run(struct runtree_order *o, uint32_t i, uint32_t caller)
{
	const struct runtree *t = o->tree;
	const struct run *r = &t->run[i];
	int c;

	o->run[o->n] = (struct run){ r->first,
				     r->last,
				     r->name,
				     caller,
				     r->child == 0 ? 0 : o->n + 1,
				     0 };
	if (!runtree_came_sorted(t, i))
		set_slots(o->has_slots, o->n, true);
	for (c = 0; c < t->counts; c++) {
		if (o->units[c] != NULL)
			o->units[c][o->n] = t->units[c][i];
		if (o->micro[c] != NULL)
			o->micro[c][o->n] = t->micro[c][i];
	}
	if (r->next != 0) {
		o->later = mem_grow(o->later, &o->cap, o->depth + 1,
				    sizeof(*o->later));
		o->later[o->depth++] = (struct runtree_later){ r->next, o->n };
		__builtin_prefetch(&t->run[r->next]);
	}
	o->n++;
}

static void
move_runs(struct runtree_order *o)
{
	const struct runtree *t = o->tree;
	struct runtree_later *before;
	uint32_t i = 0;

	move_run(o, 0, 0);
	for (;;) {
		if (t->run[i].child != 0) {
			i = t->run[i].child;
			move_run(o, i, o->n - 1);
		} else if (o->depth > 0) {
			before = &o->later[--o->depth];
			o->run[before->number].next = o->n;
			i = before->sister;
			move_run(o, i, o->run[before->number].parent);
		} else {
			break;
		}
	}
}

void
runtree_finish(struct runtree *t)
{
	struct runtree_order o = { .tree = t };
	int c;

	if (t->batch->n > 1)
		add_batch(t);
	free_batch(t);
	childslots_free(&t->slots);
	o.has_slots = mem_zero(t->n / 8 + 1, 1);
	o.run = mem_alloc(t->n * sizeof(*o.run));
	for (c = 0; c < t->counts; c++) {
		if (t->units[c] != NULL)
			o.units[c] = mem_alloc(t->n * sizeof(*o.units[c]));
		if (t->micro[c] != NULL)
			o.micro[c] = mem_alloc(t->n * sizeof(*o.micro[c]));
	}
	move_runs(&o);
	free(t->run);
	free(o.later);
	t->run = o.run;
	free(t->has_slots);
	t->has_slots = o.has_slots;
	for (c = 0; c < t->counts; c++) {
		free(t->units[c]);
		free(t->micro[c]);
		t->units[c] = o.units[c];
		t->micro[c] = o.micro[c];
		t->units_cap[c] = t->micro_cap[c] = t->n;
	}
}
