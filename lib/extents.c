/* extents.c - ranges of addresses that may lie in each other. */
#include "extents.h"

#include "mem.h"

#include <stdlib.h>

void
extents_add(struct extents *e, uint64_t start, uint64_t end, size_t what)
{
	e->p = mem_grow(e->p, &e->cap, e->n + 1, sizeof(*e->p));
	e->p[e->n++] = (struct extent){ start, end, what, SIZE_MAX };
}

/* By start, and what lies in another behind it. */
static int
compare(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

void
extents_sort(struct extents *e)
{
	size_t i, around = SIZE_MAX;

	if (e->n > 0)
		qsort(e->p, e->n, sizeof(*e->p), compare);
	for (i = 0; i < e->n; i++) {
		while (around != SIZE_MAX && e->p[around].end <= e->p[i].start)
			around = e->p[around].around;
		e->p[i].around = around;
		around = i;
	}
}

size_t
extents_find(const struct extents *e, uint64_t address)
{
	size_t low = 0, high = e->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (e->p[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (mid = low - 1; mid != SIZE_MAX; mid = e->p[mid].around) {
		if (address < e->p[mid].end)
			return e->p[mid].what;
	}
	return SIZE_MAX;
}
