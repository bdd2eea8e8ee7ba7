/* fold.c - the table that adds up equal stacks. */
#include "fold.h"

#include "arena.h"
#include "hash.h"
#include "mem.h"

#include <err.h>
#include <stdlib.h>

struct entry {
	const uint32_t *id;
	size_t n;
	struct count count[2];
};

/* Open addressing, at most half full; index + 1, so that zero is free. */
struct slot {
	uint32_t hash, index1;
};

struct fold {
	struct slot *slots;
	size_t mask;
	struct entry *entry;
	size_t n, cap;
	struct arena ids;
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
	return f;
}

void
fold_free(struct fold *f)
{
	if (f == NULL)
		return;
	intern_free(f->names);
	arena_free(&f->ids);
	free(f->entry);
	free(f->slots);
	free(f);
}

struct intern *
fold_names(struct fold *f)
{
	return f->names;
}

size_t
fold_size(const struct fold *f)
{
	return f->n;
}

static void
grow(struct fold *f)
{
	struct slot *old = f->slots;
	size_t i, j, n = f->mask + 1;

	f->mask = 2 * n - 1;
	f->slots = mem_zero(2 * n, sizeof(*f->slots));
	for (i = 0; i < n; i++) {
		if (old[i].index1 == 0)
			continue;
		for (j = old[i].hash & f->mask; f->slots[j].index1 != 0;)
			j = (j + 1) & f->mask;
		f->slots[j] = old[i];
	}
	free(old);
}

static struct entry *
add(struct fold *f, struct slot *slot, uint32_t hash, const uint32_t *id,
    size_t n)
{
	struct entry *e;
	uint32_t *copy;

	if (f->n >= UINT32_MAX - 1)
		errx(2, "more than %u stacks", UINT32_MAX - 1);
	f->entry = mem_grow(f->entry, &f->cap, f->n + 1, sizeof(*e));
	e = &f->entry[f->n];
	copy = arena_alloc(&f->ids, n * sizeof(*id));
	if (n > 0)
		memcpy(copy, id, n * sizeof(*id));
	*e = (struct entry){ .id = copy, .n = n };
	*slot = (struct slot){ hash, (uint32_t)++f->n };
	if (2 * f->n > f->mask)
		grow(f);
	return e;
}

static struct entry *
find(struct fold *f, const uint32_t *id, size_t n)
{
	uint32_t hash = (uint32_t)hash_bytes(id, n * sizeof(*id));
	struct slot *slot;
	struct entry *e;
	size_t i;

	for (i = hash & f->mask;; i = (i + 1) & f->mask) {
		slot = &f->slots[i];
		if (slot->index1 == 0)
			return add(f, slot, hash, id, n);
		e = &f->entry[slot->index1 - 1];
		if (slot->hash == hash && e->n == n &&
		    memcmp(e->id, id, n * sizeof(*id)) == 0)
			return e;
	}
}

bool
fold_add(struct fold *f, const uint32_t *id, size_t n,
	 const struct count *count)
{
	struct entry *e = find(f, id, n);
	struct count sum[2] = { e->count[0], e->count[1] };

	if (!count_add(&sum[0], count[0]) ||
	    (f->counts == 2 && !count_add(&sum[1], count[1])))
		return false;
	e->count[0] = sum[0];
	e->count[1] = sum[1];
	return true;
}

static uint64_t
gcd(uint64_t a, uint64_t b)
{
	uint64_t rest;

	while (b != 0) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

uint64_t
fold_gcd(const struct fold *f)
{
	uint64_t sum = 0;
	size_t i;
	int k;

	for (i = 0; i < f->n; i++) {
		for (k = 0; k < f->counts; k++) {
			if (f->entry[i].count[k].micro != 0)
				return 0;
			sum = gcd(sum, f->entry[i].count[k].units);
		}
	}
	return sum;
}

/*
 * Order.  The text of a stack is its names with ';' between, and texts are
 * compared as bytes; but to build them all would cost more than the sort.  So
 * each name gets two ranks: of the name with ';' behind it, and of the name at
 * the end of a text.  Then stacks compare like the sequences of their ranks.
 */
struct ranks {
	uint32_t *inner, *last; /* by frame name */
};

struct ranked {
	struct str name;
	uint32_t id;
	int last;
};

static int
compare_names(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;
	size_t n = a->name.len < b->name.len ? a->name.len : b->name.len;
	int order = memcmp(a->name.p, b->name.p, n), ca, cb;

	if (order != 0)
		return order;
	/* What follows the common part: a byte, ';', or the end. */
	ca = a->name.len > n ? (unsigned char)a->name.p[n] :
			       (a->last ? -1 : ';');
	cb = b->name.len > n ? (unsigned char)b->name.p[n] :
			       (b->last ? -1 : ';');
	return ca - cb;
}

static struct ranks
rank_names(const struct intern *names)
{
	uint32_t i, n = intern_size(names);
	struct ranked *all = mem_zero(2 * (size_t)n, sizeof(*all));
	struct ranks r = { mem_zero(n, sizeof(*r.inner)),
			   mem_zero(n, sizeof(*r.last)) };

	for (i = 0; i < n; i++) {
		all[2 * i] = (struct ranked){ intern_name(names, i), i, 0 };
		all[2 * i + 1] = (struct ranked){ all[2 * i].name, i, 1 };
	}
	qsort(all, 2 * (size_t)n, sizeof(*all), compare_names);
	for (i = 0; i < 2 * n; i++) {
		if (all[i].last)
			r.last[all[i].id] = i;
		else
			r.inner[all[i].id] = i;
	}
	free(all);
	return r;
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

static const struct entry **
sorted(const struct fold *f)
{
	const struct entry **e = mem_zero(f->n, sizeof(struct entry *));
	struct ranks r = rank_names(f->names);
	size_t i;

	for (i = 0; i < f->n; i++)
		e[i] = &f->entry[i];
	sort(&r, (struct part){ e, f->n, 0 });
	free(r.inner);
	free(r.last);
	return e;
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
fold_write(const struct fold *f, struct count min, FILE *out)
{
	const struct entry **e = sorted(f);
	struct buf line = { 0 };
	size_t i;
	int k;

	for (i = 0; i < f->n; i++) {
		if (count_cmp(e[i]->count[0], min) < 0 &&
		    (f->counts == 1 || count_cmp(e[i]->count[1], min) < 0))
			continue;
		print_stack(&line, f, e[i]);
		for (k = 0; k < f->counts; k++) {
			buf_char(&line, ' ');
			count_print(&line, e[i]->count[k]);
		}
		buf_char(&line, '\n');
		if (line.len > 64 * 1024)
			buf_write(&line, out);
	}
	buf_write(&line, out);
	buf_free(&line);
	free(e);
}
