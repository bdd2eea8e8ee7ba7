/* left.c - what is left of frames when others are to blame for their part. */
#include "left.h"

#include "mem.h"

#include <stdlib.h>

void
left_init(struct left *l, const struct rows *r)
{
	*l = (struct left){ .rows = r };
	l->place = mem_zero(r->frames, sizeof(*l->place));
}

void
left_free(struct left *l)
{
	free(l->place);
	free(l->lost);
	free(l->gone);
}

void
left_get(const struct left *l, uint32_t frame, double *v)
{
	size_t i, runs = l->rows->sides->n;
	const double *lost;

	rows_get(l->rows, frame, v);
	if (l->place[frame] == 0)
		return;
	lost = l->lost + (l->place[frame] - 1) * runs;
	/* Sums of the same numbers in another order. */
	for (i = 0; i < runs; i++)
		v[i] = v[i] > lost[i] ? v[i] - lost[i] : 0;
}

/* The place of what a frame has lost. */
static size_t
find_place(struct left *l, uint32_t frame)
{
	size_t runs = l->rows->sides->n;

	if (l->place[frame] != 0)
		return l->place[frame] - 1;
	l->lost = mem_grow(l->lost, &l->lost_cap, (l->n + 1) * runs,
			   sizeof(*l->lost));
	l->gone = mem_grow(l->gone, &l->gone_cap, l->n + 1, sizeof(*l->gone));
	memset(l->lost + l->n * runs, 0, runs * sizeof(*l->lost));
	l->gone[l->n] = false;
	l->place[frame] = (uint32_t)++l->n;
	return l->n - 1;
}

void
left_explain(struct left *l, uint32_t frame)
{
	const struct trie_frame *f = l->rows->sides->trie.frame;
	size_t i, at, runs = l->rows->sides->n;
	double *v = mem_zero(runs, sizeof(*v));
	uint32_t up;

	left_get(l, frame, v);
	for (up = frame; up != 0; up = f[up].parent) {
		at = find_place(l, up);
		for (i = 0; i < runs; i++)
			l->lost[at * runs + i] += v[i];
	}
	l->gone[l->place[frame] - 1] = true;
	free(v);
}

bool
left_is_explained(const struct left *l, uint32_t frame)
{
	const struct trie_frame *f = l->rows->sides->trie.frame;

	while (frame != 0 &&
	       (l->place[frame] == 0 || !l->gone[l->place[frame] - 1]))
		frame = f[frame].parent;
	return frame != 0;
}
