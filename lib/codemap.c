/* codemap.c - what code a virtual machine has at an address, as it moves. */
#include "codemap.h"

#include "mem.h"

#include <search.h>
#include <stdlib.h>

struct codemap_range {
	uint64_t start, last;
	uint32_t code;
};

/* Ranges that overlap are equal: so one that is looked for finds another. */
static int
compare(const void *a, const void *b)
{
	const struct codemap_range *x = a, *y = b;

	return x->last < y->start ? -1 : x->start > y->last;
}

/* The tree's node is a pointer to what was put. */
static struct codemap_range *
overlap(const struct codemap *m, const struct codemap_range *range)
{
	struct codemap_range **found = tfind(range, &m->root, compare);

	return found == NULL ? NULL : *found;
}

static struct codemap_range *
take(struct codemap *m, uint64_t start)
{
	struct codemap_range key = { start, start, 0 };
	struct codemap_range *found = overlap(m, &key);

	if (found == NULL || found->start != start)
		return NULL;
	tdelete(found, &m->root, compare);
	return found;
}

static void
put(struct codemap *m, struct codemap_range *range)
{
	struct codemap_range *old;

	while ((old = overlap(m, range)) != NULL) {
		tdelete(old, &m->root, compare);
		free(old);
	}
	if (tsearch(range, &m->root, compare) == NULL)
		mem_alloc(SIZE_MAX); /* ends the program */
}

void
codemap_free(struct codemap *m)
{
	tdestroy(m->root, free);
	m->root = NULL;
}

static uint64_t
last_of(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size - 1;
}

void
codemap_put(struct codemap *m, uint64_t start, uint64_t size, uint32_t code)
{
	struct codemap_range *range = mem_alloc(sizeof(*range));

	*range = (struct codemap_range){ start,
					 last_of(start, size > 0 ? size : 1),
					 code };
	put(m, range);
}

bool
codemap_move(struct codemap *m, uint64_t from, uint64_t to)
{
	struct codemap_range *range = take(m, from);

	if (range == NULL)
		return false;
	range->last = last_of(to, range->last - range->start + 1);
	range->start = to;
	put(m, range);
	return true;
}

bool
codemap_remove(struct codemap *m, uint64_t start)
{
	struct codemap_range *range = take(m, start);

	free(range);
	return range != NULL;
}

bool
codemap_find(const struct codemap *m, uint64_t address, uint32_t *code)
{
	struct codemap_range key = { address, address, 0 };
	const struct codemap_range *found = overlap(m, &key);

	if (found != NULL)
		*code = found->code;
	return found != NULL;
}
