/* intervals.c - a table of address ranges that may be nested. */
#include "elf/intervals.h"

#include "base/mem.h"

#include <stdlib.h>

void
intervals_add(struct intervals *e, uint64_t start, uint64_t end, size_t what)
{
	e->p = mem_grow(e->p, &e->cap, e->n + 1, sizeof(*e->p));
	e->p[e->n++] = (struct interval){ start, end, what, SIZE_MAX };
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

void
intervals_sort(struct intervals *e)
{
	size_t i, parent = SIZE_MAX;

	if (e->n > 0)
		qsort(e->p, e->n, sizeof(*e->p), compare);
	for (i = 0; i < e->n; i++) {
		while (parent != SIZE_MAX && e->p[parent].end <= e->p[i].start)
			parent = e->p[parent].parent;
		e->p[i].parent = parent;
		parent = i;
	}
}

size_t
intervals_find(const struct intervals *e, uint64_t address)
{
	size_t low = 0, high = e->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (e->p[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (mid = low - 1; mid != SIZE_MAX; mid = e->p[mid].parent) {
		if (address < e->p[mid].end)
			return e->p[mid].what;
	}
	return SIZE_MAX;
}
