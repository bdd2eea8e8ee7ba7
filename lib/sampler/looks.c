/* looks.c - looks at threads that were interrupted and have not stopped yet. */
#include "sampler/looks.h"

#include "base/mem.h"

#include <stdlib.h>

void
looks_add(struct looks *all, const struct look *look)
{
	all->look = mem_grow(all->look, &all->cap, all->n + 1,
			     sizeof(*all->look));
	all->look[all->n++] = *look;
}

void
looks_drop_last(struct looks *all)
{
	all->n--;
}

void
looks_free(struct looks *all)
{
	free(all->look);
	*all = (struct looks){ 0 };
}

const struct look *
looks_find(const struct looks *all, int64_t tid)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		if (all->look[i].tid == tid)
			return &all->look[i];
	}
	return NULL;
}

bool
looks_take(struct looks *all, int64_t tid, struct look *found)
{
	const struct look *look = looks_find(all, tid);
	size_t i;

	if (look == NULL)
		return false;
	*found = *look;
	i = (size_t)(look - all->look);
	memmove(&all->look[i], &all->look[i + 1],
		(all->n - i - 1) * sizeof(*all->look));
	all->n--;
	return true;
}

void
looks_forget(struct looks *all, const struct live_threads *process)
{
	size_t i, kept = 0;

	for (i = 0; i < all->n; i++) {
		if (all->look[i].process != process)
			all->look[kept++] = all->look[i];
	}
	all->n = kept;
}
