/* extents.c - ranges of addresses that do not overlap, and what they are of. */
#include "extents.h"

#include "mem.h"

#include <stdlib.h>

void
extents_add(struct extents *e, uint64_t start, uint64_t end, size_t what)
{
	e->p = mem_grow(e->p, &e->cap, e->n + 1, sizeof(*e->p));
	e->p[e->n++] = (struct extent){ start, end, what };
}

static int
by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

void
extents_sort(struct extents *e)
{
	if (e->n > 0)
		qsort(e->p, e->n, sizeof(*e->p), by_start);
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
	return low > 0 && address < e->p[low - 1].end ? e->p[low - 1].what :
							SIZE_MAX;
}
