/* intervals.c - a table of address ranges that may be nested. */
#include "elf/intervals.h"

#include "base/mem.h"

#include <stdlib.h>

void
intervals_free(struct intervals *e)
{
	free(e->p);
	free(e->pieces);
}

void
intervals_add(struct intervals *e, uint64_t start, uint64_t end, size_t what)
{
	e->p = mem_grow(e->p, &e->cap, e->n + 1, sizeof(*e->p));
	e->p[e->n++] = (struct interval){ start, end, what };
}

/* By start; nested ranges follow those around them. */
static int
compare(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

static void
add_piece(struct intervals *e, uint64_t start, size_t what)
{
	if (e->pieces_n > 0 && e->pieces[e->pieces_n - 1].start == start) {
		e->pieces[e->pieces_n - 1].what = what;
		return;
	}
	e->pieces = mem_grow(e->pieces, &e->pieces_cap, e->pieces_n + 1,
			     sizeof(*e->pieces));
	e->pieces[e->pieces_n++] = (struct interval_piece){ start, what };
}

/* Ranges around the current address of the sweep, the innermost last. */
struct around {
	size_t *p; /* indices of ranges */
	size_t n, cap;
};

/* Move to an address.  Where the innermost range ends, a piece begins. */
static void
sweep_to(struct intervals *e, struct around *a, uint64_t to)
{
	uint64_t end;

	while (a->n > 0 && (end = e->p[a->p[a->n - 1]].end) <= to) {
		while (a->n > 0 && e->p[a->p[a->n - 1]].end <= end)
			a->n--;
		add_piece(e, end,
			  a->n > 0 ? e->p[a->p[a->n - 1]].what : SIZE_MAX);
	}
}

void
intervals_sort(struct intervals *e)
{
	struct around a = { 0 };
	size_t i;

	if (e->n > 0)
		qsort(e->p, e->n, sizeof(*e->p), compare);
	e->pieces_n = 0;
	for (i = 0; i < e->n; i++) {
		sweep_to(e, &a, e->p[i].start);
		a.p = mem_grow(a.p, &a.cap, a.n + 1, sizeof(*a.p));
		a.p[a.n++] = i;
		add_piece(e, e->p[i].start, e->p[i].what);
	}
	sweep_to(e, &a, UINT64_MAX);
	free(a.p);
}

size_t
intervals_find(const struct intervals *e, uint64_t address)
{
	size_t low = 0, high = e->pieces_n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (e->pieces[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 ? e->pieces[low - 1].what : SIZE_MAX;
}
