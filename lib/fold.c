/* fold.c - the table that adds up equal stacks. */
#include "fold.h"

#include "hash.h"
#include "mem.h"
#include "rank.h"

#include <err.h>
#include <stdlib.h>

/* A stack and its counts. */
struct entry {
	struct count count[2];
	size_t n; /* 0 for one that was left out */
	uint32_t id[];
};

/* Open addressing, at most half full; place 0 is free. */
struct slot {
	uint32_t hash, place;
};

/*
 * Stacks wait a while between being looked for and being added: by then what
 * was prefetched is there.  With tables larger than the caches, waiting for
 * memory would be most of the work.
 */
#define WAITING 16

struct waiting {
	uint32_t *id;
	size_t n, cap;
	uint32_t hash;
	struct count count[2];
};

struct fold {
	struct slot *slots;
	size_t mask;
	uint64_t *pool; /* entries, found by their places in it */
	size_t used, cap;
	size_t n;
	struct waiting waiting[WAITING]; /* a ring; n = 0 is empty */
	unsigned next;
	bool overflow;
	struct intern *names;
	int counts;
};

struct fold *
fold_new(int counts)
{
	struct fold *f = mem_zero(1, sizeof(*f));

	f->counts = counts;
	f->names = intern_new();
	f->mask = 1023;
	f->slots = mem_zero(f->mask + 1, sizeof(*f->slots));
	f->pool = mem_grow(NULL, &f->cap, 1, sizeof(*f->pool));
	f->used = 1; /* place 0 is none */
	return f;
}

void
fold_free(struct fold *f)
{
	int i;

	if (f == NULL)
		return;
	for (i = 0; i < WAITING; i++)
		free(f->waiting[i].id);
	intern_free(f->names);
	free(f->pool);
	free(f->slots);
	free(f);
}

struct intern *
fold_names(struct fold *f)
{
	return f->names;
}

static struct entry *
entry_at(const struct fold *f, uint32_t place)
{
	return (struct entry *)(void *)(f->pool + place);
}

static void
grow(struct fold *f)
{
	struct slot *old = f->slots;
	size_t i, j, n = f->mask + 1;

	f->mask = 2 * n - 1;
	f->slots = mem_zero(2 * n, sizeof(*f->slots));
	for (i = 0; i < n; i++) {
		if (old[i].place == 0)
			continue;
		for (j = old[i].hash & f->mask; f->slots[j].place != 0;)
			j = (j + 1) & f->mask;
		f->slots[j] = old[i];
	}
	free(old);
}

static struct entry *
new_entry(struct fold *f, struct slot *slot, const struct waiting *w)
{
	size_t size = sizeof(struct entry) + w->n * sizeof(*w->id);
	struct entry *e;

	size = (size + sizeof(*f->pool) - 1) / sizeof(*f->pool);
	if (f->used > UINT32_MAX - size)
		errx(2, "too many stacks");
	f->pool = mem_grow(f->pool, &f->cap, f->used + size, sizeof(*f->pool));
	*slot = (struct slot){ w->hash, (uint32_t)f->used };
	e = entry_at(f, slot->place);
	*e = (struct entry){ .n = w->n };
	memcpy(e->id, w->id, w->n * sizeof(*w->id));
	f->used += size;
	if (2 * ++f->n > f->mask)
		grow(f);
	return e;
}

static struct entry *
find(struct fold *f, const struct waiting *w)
{
	struct slot *slot;
	struct entry *e;
	size_t i;

	for (i = w->hash & f->mask;; i = (i + 1) & f->mask) {
		slot = &f->slots[i];
		if (slot->place == 0)
			return new_entry(f, slot, w);
		e = entry_at(f, slot->place);
		if (slot->hash == w->hash && e->n == w->n &&
		    memcmp(e->id, w->id, w->n * sizeof(*w->id)) == 0)
			return e;
	}
}

/* Add a stack that has waited. */
static void
settle(struct fold *f, struct waiting *w)
{
	struct entry *e;
	int k;

	if (w->n == 0)
		return;
	e = find(f, w);
	for (k = 0; k < f->counts; k++)
		f->overflow |= !count_add(&e->count[k], w->count[k]);
	w->n = 0;
}

static void
settle_all(struct fold *f)
{
	unsigned i;

	for (i = 0; i < WAITING; i++)
		settle(f, &f->waiting[(f->next + i) % WAITING]);
}

static void
prefetch_slot(const struct fold *f, const struct waiting *w)
{
	__builtin_prefetch(&f->slots[w->hash & f->mask]);
}

static void
prefetch_entry(const struct fold *f, const struct waiting *w)
{
	const struct slot *slot;
	const char *e;
	size_t i = w->hash & f->mask;

	while ((slot = &f->slots[i])->place != 0 && slot->hash != w->hash)
		i = (i + 1) & f->mask;
	e = (const char *)entry_at(f, slot->place);
	__builtin_prefetch(e);
	__builtin_prefetch(e + 64);
}

bool
fold_add(struct fold *f, const uint32_t *id, size_t n,
	 const struct count *count)
{
	struct waiting *w = &f->waiting[f->next];

	settle(f, w);
	w->id = mem_grow(w->id, &w->cap, n, sizeof(*id));
	memcpy(w->id, id, n * sizeof(*id));
	w->n = n;
	w->hash = (uint32_t)hash_bytes(id, n * sizeof(*id));
	memcpy(w->count, count, (size_t)f->counts * sizeof(*count));
	prefetch_slot(f, w);
	prefetch_entry(f, &f->waiting[(f->next + WAITING / 2) % WAITING]);
	f->next = (f->next + 1) % WAITING;
	return !f->overflow;
}

size_t
fold_size(struct fold *f)
{
	settle_all(f);
	return f->n;
}

/* The stack in a slot, or NULL. */
static const struct entry *
stack_in(const struct fold *f, size_t slot)
{
	uint32_t place = f->slots[slot].place;

	return place == 0 || entry_at(f, place)->n == 0 ? NULL :
							  entry_at(f, place);
}

bool
fold_next(struct fold *f, size_t *at, struct fold_stack *s)
{
	const struct entry *e;

	if (*at == 0)
		settle_all(f);
	for (; *at <= f->mask; ++*at) {
		e = stack_in(f, *at);
		if (e == NULL)
			continue;
		++*at;
		*s = (struct fold_stack){ e->id, e->n, e->count };
		return true;
	}
	return false;
}

/* All stacks, in no order. */
static const struct entry **
entries(struct fold *f)
{
	const struct entry **all;
	const struct entry *e;
	size_t i, n = 0;

	settle_all(f);
	all = mem_zero(f->n, sizeof(struct entry *));
	for (i = 0; i <= f->mask; i++) {
		e = stack_in(f, i);
		if (e != NULL)
			all[n++] = e;
	}
	return all;
}

void
fold_drop(struct fold *f, size_t at)
{
	entry_at(f, f->slots[at - 1].place)->n = 0;
	f->n--;
}

/* The rank that sorts e at a depth; nothing is ever deeper than its end. */
static uint32_t
key(const struct ranks *r, const struct entry *e, size_t depth)
{
	uint32_t id = e->id[depth];

	return depth + 1 == e->n ? r->last[id] : r->inner[id];
}

static void
swap(const struct entry **a, const struct entry **b)
{
	const struct entry *t = *a;

	*a = *b;
	*b = t;
}

/* A part still to be sorted: its stacks are equal above depth. */
struct part {
	const struct entry **e;
	size_t n, depth;
};

/*
 * Split a part by one rank into what sorts below it, equal to it, above it;
 * the equal stacks go one frame deeper, unless they end here, and so are one.
 */
static void
split(const struct ranks *r, struct part all, struct part part[3])
{
	const struct entry **e = all.e;
	/* Not the middle: sorted and organ-pipe input are common. */
	size_t below = 0, i = 0, above = all.n,
	       middle = (all.n * 0x9e3779b97f4a7c15u >> 32) % all.n;
	uint32_t pivot = key(r, e[middle], all.depth), k;

	while (i < above) {
		k = key(r, e[i], all.depth);
		if (k < pivot)
			swap(&e[below++], &e[i++]);
		else if (k > pivot)
			swap(&e[i], &e[--above]);
		else
			i++;
	}
	part[0] = (struct part){ e, below, all.depth };
	part[1] = (struct part){ e + below, above - below, all.depth + 1 };
	part[2] = (struct part){ e + above, all.n - above, all.depth };
	if (e[below]->n == all.depth + 1)
		part[1].n = 0;
}

/*
 * Multikey quicksort (Bentley and Sedgewick 1997): shared callers are looked
 * at once, not in each comparison.  The largest part is the loop, so the
 * recursion is at most log2(n) deep.
 */
static void
sort(const struct ranks *r, struct part all)
{
	struct part part[3];
	int i, largest;

	while (all.n > 1) {
		split(r, all, part);
		largest = 0;
		for (i = 1; i < 3; i++) {
			if (part[i].n > part[largest].n)
				largest = i;
		}
		for (i = 0; i < 3; i++) {
			if (i != largest)
				sort(r, part[i]);
		}
		all = part[largest];
	}
}

static void
print_stack(struct buf *out, const struct fold *f, const struct entry *e)
{
	size_t i;

	for (i = 0; i < e->n; i++) {
		if (i > 0)
			buf_char(out, ';');
		buf_str(out, intern_name(f->names, e->id[i]));
	}
}

void
fold_clear(struct fold *f)
{
	settle_all(f);
	memset(f->slots, 0, (f->mask + 1) * sizeof(*f->slots));
	f->used = 1;
	f->n = 0;
}

bool
fold_fits(struct fold *f)
{
	settle_all(f);
	return !f->overflow;
}

size_t
fold_memory(const struct fold *f)
{
	return f->used * sizeof(*f->pool) + (f->mask + 1) * sizeof(*f->slots) +
	       intern_memory(f->names);
}

void
fold_print(struct fold *f, struct foldout *o)
{
	const struct entry **e = entries(f);
	struct ranks r = ranks_new(f->names);
	size_t i, start;

	sort(&r, (struct part){ e, f->n, 0 });
	for (i = 0; i < f->n; i++) {
		start = o->text.len;
		print_stack(&o->text, f, e[i]);
		foldout_line(o, start, e[i]->count);
	}
	ranks_free(&r);
	free(e);
}

void
fold_write(struct fold *f, struct count min, FILE *out)
{
	struct foldout o = { .out = out, .counts = f->counts, .min = min };

	fold_print(f, &o);
	foldout_end(&o);
}
