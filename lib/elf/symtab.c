/* symtab.c - a table of address ranges and their names. */
#include "elf/symtab.h"

#include "base/buf.h"
#include "base/mem.h"
#include "demangle/demangle.h"

#include <stdlib.h>

/*
 * Millions of symbols are common, so a range is small.  All names are in one
 * buffer, each with a NUL.
 */
struct symtab_range {
	uint64_t start, end;
	uint32_t name; /* offset in names */
	uint8_t rank;
	bool open;
};

/* Addresses from start up to the next piece belong to one range. */
struct symtab_piece {
	uint64_t start;
	uint32_t range; /* SYMTAB_NONE: in no range */
};

struct symtab {
	enum symtab_rule rule;
	struct buf names;
	size_t names_limit;
	struct symtab_range *ranges;
	size_t n, cap;
	struct symtab_piece *pieces;
	size_t pieces_n, pieces_cap;

	/* Pieces, grouped by the high bits of their distance to the first. */
	uint32_t *index; /* the first piece of each group, then pieces_n */
	size_t groups;
	unsigned shift;
};

struct symtab *
symtab_new(enum symtab_rule rule)
{
	struct symtab *t = mem_zero(1, sizeof(*t));

	t->rule = rule;
	/* Offsets have 32 bits; no symbol table needs more. */
	t->names_limit = UINT32_MAX;
	return t;
}

void
symtab_limit(struct symtab *t, uint64_t size)
{
	if (size < t->names_limit)
		t->names_limit = size;
}

void
symtab_free(struct symtab *t)
{
	if (t == NULL)
		return;
	buf_free(&t->names);
	free(t->ranges);
	free(t->pieces);
	free(t->index);
	free(t);
}

void
symtab_add(struct symtab *t, uint64_t start, uint64_t end, bool open,
	   unsigned rank, struct str name)
{
	const char *nul = str_find(name, '\0');

	if (nul != NULL)
		name = str_range(name.p, nul);
	if (start >= end || t->n >= SYMTAB_NONE - 1 ||
	    t->names.len + name.len >= t->names_limit)
		return;
	t->ranges = mem_grow(t->ranges, &t->cap, t->n + 1, sizeof(*t->ranges));
	t->ranges[t->n++] = (struct symtab_range){ start, end,
						   (uint32_t)t->names.len,
						   (uint8_t)rank, open };
	buf_str(&t->names, name);
	buf_char(&t->names, '\0');
}

static const char *
range_name(const struct symtab *t, const struct symtab_range *r)
{
	return t->names.p + r->name;
}

/* By start, then by rank, then in the order they were added. */
static bool
in_order(const struct symtab *t, const struct symtab_range *a,
	 const struct symtab_range *b)
{
	if (a->start != b->start)
		return a->start < b->start;
	return t->rule != SYMTAB_BEST || a->rank <= b->rank;
}

/* Many inputs are sorted, such as /proc/kallsyms. */
static bool
is_sorted(const struct symtab *t)
{
	size_t i;

	for (i = 1; i < t->n; i++)
		if (!in_order(t, &t->ranges[i - 1], &t->ranges[i]))
			return false;
	return true;
}

/* The key of a sort pass: a byte of the start, or the rank. */
enum { START_BYTES = 8, RANK = START_BYTES };

static unsigned
digit(const struct symtab_range *r, unsigned which)
{
	return which == RANK ? r->rank : r->start >> 8 * which & 0xff;
}

/* One pass of the sort, which is stable. */
static void
sort_by(struct symtab *t, struct symtab_range **spare, unsigned which)
{
	struct symtab_range *r = t->ranges, *sorted = *spare;
	size_t at[257] = { 0 }, i;

	for (i = 0; i < t->n; i++)
		at[digit(&r[i], which) + 1]++;
	if (at[digit(&r[0], which) + 1] == t->n)
		return; /* all have the same digit */
	for (i = 1; i < 257; i++)
		at[i] += at[i - 1];
	for (i = 0; i < t->n; i++)
		sorted[at[digit(&r[i], which)]++] = r[i];
	t->ranges = sorted;
	*spare = r;
}

/* Radix sort: addresses of a file differ in three or four bytes only. */
static void
sort_ranges(struct symtab *t)
{
	struct symtab_range *spare = mem_zero(t->n, sizeof(*spare));
	unsigned i;

	if (t->rule == SYMTAB_BEST)
		sort_by(t, &spare, RANK);
	for (i = 0; i < START_BYTES; i++)
		sort_by(t, &spare, i);
	t->cap = t->n;
	free(spare);
}

/* What names are compared by, after demangling. */
struct symtab_looks {
	size_t underscores, length;
};

static struct symtab_looks
name_looks(const struct symtab *t, size_t i, struct buf *readable)
{
	struct str name = str_of(range_name(t, &t->ranges[i]));

	readable->len = 0;
	if (!demangle(readable, name))
		buf_str(readable, name);
	buf_char(readable, '\0');
	return (struct symtab_looks){ strspn(readable->p, "_"), readable->len };
}

/* The range with the best name, of those from first to last. */
static size_t
best_name(const struct symtab *t, size_t first, size_t last)
{
	struct buf readable = { 0 };
	struct symtab_looks best = name_looks(t, first, &readable), other;
	size_t found = first, i;

	for (i = first + 1; i <= last; i++) {
		other = name_looks(t, i, &readable);
		if (other.underscores > best.underscores ||
		    (other.underscores == best.underscores &&
		     other.length <= best.length))
			continue;
		best = other;
		found = i;
	}
	buf_free(&readable);
	return found;
}

/* Of ranges with the same start, keep the one that names the address. */
static void
drop_aliases(struct symtab *t)
{
	const struct symtab_range *r = t->ranges;
	size_t i, first = 0, n = 0;

	for (i = 0; i < t->n; i++) {
		if (r[i].start != r[first].start || r[i].rank != r[first].rank)
			first = i;
		if (i + 1 < t->n && r[i + 1].start == r[i].start)
			continue;
		if (t->rule == SYMTAB_BEST && first < i)
			t->ranges[n++] = r[best_name(t, first, i)];
		else
			t->ranges[n++] = r[i];
	}
	t->n = n;
}

static void
close_open(struct symtab *t)
{
	struct symtab_range *r;
	uint64_t next = UINT64_MAX;
	size_t i;

	for (i = t->n; i-- > 0;) {
		r = &t->ranges[i];
		if (r->open && r->end > next)
			r->end = next;
		if (i > 0 && t->ranges[i - 1].start != r->start)
			next = r->start;
	}
}

/*
 * A heap of the ranges that contain the current address of the sweep.  The one
 * that names it is on top.  A range that has ended is removed when it gets
 * there.
 */
struct symtab_heap {
	uint32_t *p;
	size_t n, cap;
};

/* Whether range a names an address that is also in range b. */
static bool
covers(const struct symtab *t, uint32_t a, uint32_t b)
{
	const struct symtab_range *x = &t->ranges[a], *y = &t->ranges[b];

	if (t->rule == SYMTAB_LAST)
		return x->name > y->name;
	if (t->rule == SYMTAB_BEST && x->open != y->open)
		return y->open;
	return a > b;
}

static void
heap_push(const struct symtab *t, struct symtab_heap *h, uint32_t range)
{
	size_t i = h->n, up;

	h->p = mem_grow(h->p, &h->cap, h->n + 1, sizeof(*h->p));
	h->n++;
	for (; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!covers(t, range, h->p[up]))
			break;
		h->p[i] = h->p[up];
	}
	h->p[i] = range;
}

static void
heap_pop(const struct symtab *t, struct symtab_heap *h)
{
	uint32_t last = h->p[--h->n];
	size_t i = 0, down;

	while ((down = 2 * i + 1) < h->n) {
		if (down + 1 < h->n && covers(t, h->p[down + 1], h->p[down]))
			down++;
		if (!covers(t, h->p[down], last))
			break;
		h->p[i] = h->p[down];
		i = down;
	}
	if (h->n > 0)
		h->p[i] = last;
}

static void
add_piece(struct symtab *t, uint64_t start, uint32_t range)
{
	struct symtab_piece *last = t->pieces + t->pieces_n - 1;

	if (t->pieces_n > 0 && last->range == range)
		return;
	if (t->pieces_n > 0 && last->start == start) {
		last->range = range;
		return;
	}
	t->pieces = mem_grow(t->pieces, &t->pieces_cap, t->pieces_n + 1,
			     sizeof(*t->pieces));
	t->pieces[t->pieces_n++] = (struct symtab_piece){ start, range };
}

/* Move to an address; ranges that end before it add pieces. */
static void
sweep_to(struct symtab *t, struct symtab_heap *h, uint64_t to)
{
	uint64_t end;

	while (h->n > 0 && (end = t->ranges[h->p[0]].end) <= to) {
		while (h->n > 0 && t->ranges[h->p[0]].end <= end)
			heap_pop(t, h);
		add_piece(t, end, h->n > 0 ? h->p[0] : SYMTAB_NONE);
	}
}

/* Release memory that doubling has allocated in excess. */
static void *
shrink(void *p, size_t *cap, size_t n, size_t size)
{
	void *smaller = n > 0 && n < *cap ? realloc(p, n * size) : NULL;

	if (smaller == NULL)
		return p;
	*cap = n;
	return smaller;
}

static size_t
group_of(const struct symtab *t, uint64_t address)
{
	return (size_t)((address - t->pieces[0].start) >> t->shift);
}

/* Make about as many groups as pieces, so that most have one or two. */
static void
make_index(struct symtab *t)
{
	const size_t n = t->pieces_n;
	size_t i, group = 0;

	if (n == 0)
		return;
	while (group_of(t, t->pieces[n - 1].start) >= n)
		t->shift++;
	t->groups = group_of(t, t->pieces[n - 1].start) + 1;
	t->index = mem_zero(t->groups + 1, sizeof(*t->index));
	for (i = 0; i < n; i++)
		while (group <= group_of(t, t->pieces[i].start))
			t->index[group++] = (uint32_t)i;
	t->index[group] = (uint32_t)n;
}

void
symtab_sort(struct symtab *t)
{
	struct symtab_heap h = { 0 };
	uint32_t i;

	if (!is_sorted(t))
		sort_ranges(t);
	if (t->rule != SYMTAB_LAST)
		drop_aliases(t);
	close_open(t);
	t->pieces_cap = t->n + t->n / 4 + 2;
	t->pieces = mem_zero(t->pieces_cap, sizeof(*t->pieces));
	for (i = 0; i < t->n; i++) {
		sweep_to(t, &h, t->ranges[i].start);
		heap_push(t, &h, i);
		add_piece(t, t->ranges[i].start, h.p[0]);
	}
	sweep_to(t, &h, UINT64_MAX);
	free(h.p);
	t->names.p = shrink(t->names.p, &t->names.cap, t->names.len, 1);
	t->ranges = shrink(t->ranges, &t->cap, t->n, sizeof(*t->ranges));
	t->pieces = shrink(t->pieces, &t->pieces_cap, t->pieces_n,
			   sizeof(*t->pieces));
	make_index(t);
}

struct symbol
symtab_symbol(const struct symtab *t, size_t i)
{
	const struct symtab_range *r = &t->ranges[i];

	return (struct symbol){ r->start, r->end, str_of(range_name(t, r)) };
}

uint32_t
symtab_number(const struct symtab *t, uint64_t address)
{
	size_t low, high, mid, group;

	if (t->pieces_n == 0 || address < t->pieces[0].start)
		return SYMTAB_NONE;
	group = group_of(t, address);
	if (group >= t->groups)
		group = t->groups - 1;
	low = t->index[group];
	high = t->index[group + 1];
	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->pieces[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return t->pieces[low - 1].range;
}

bool
symtab_find(const struct symtab *t, uint64_t address, struct symbol *found)
{
	const uint32_t number = symtab_number(t, address);

	if (number == SYMTAB_NONE)
		return false;
	*found = symtab_symbol(t, number);
	return true;
}

size_t
symtab_size(const struct symtab *t)
{
	return t->n;
}

size_t
symtab_memory(const struct symtab *t)
{
	return sizeof(*t) + t->names.cap + t->cap * sizeof(*t->ranges) +
	       t->pieces_cap * sizeof(*t->pieces) +
	       (t->groups + 1) * sizeof(*t->index);
}
