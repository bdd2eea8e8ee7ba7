/* steady.c - an order that changes only beyond noise. */
#include "steady.h"

#include "map.h"
#include "mem.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool
exceeds(const struct steady_item *a, const struct steady_item *b)
{
	return a->samples - b->samples > 2 * sqrt(a->samples + b->samples);
}

static void
move_up(struct steady_item *item, size_t from, size_t to)
{
	const struct steady_item moved = item[from];

	memmove(item + to + 1, item + to, (from - to) * sizeof(*item));
	item[to] = moved;
}

/* Bring those of the last time to the front, in its order; how many. */
static size_t
recall(const struct steady *s, struct steady_item *item, size_t n)
{
	struct steady_item *was = mem_zero(s->n + 1, sizeof(*was));
	bool *seen = mem_zero(s->n + 1, sizeof(*seen));
	struct map place = { 0 };
	size_t i, known = 0, others = n;
	uint32_t at;

	for (i = 0; i < s->n; i++)
		map_put(&place, s->key[i], (uint32_t)i);
	for (i = n; i > 0; i--) {
		if (map_get(&place, item[i - 1].key, &at)) {
			was[at] = item[i - 1];
			seen[at] = true;
		} else {
			item[--others] = item[i - 1];
		}
	}
	for (i = 0; i < s->n; i++) {
		if (seen[i])
			item[known++] = was[i];
	}
	map_free(&place);
	free(was);
	free(seen);
	return known;
}

void
steady_order(struct steady *s, struct steady_item *item, size_t n)
{
	const size_t known = recall(s, item, n);
	size_t i, to;

	for (i = 1; i < n; i++) {
		for (to = 0; to < i; to++) {
			if (i < known ? exceeds(&item[i], &item[to]) :
					item[i].samples > item[to].samples)
				break;
		}
		move_up(item, i, to);
	}
	s->key = mem_grow(s->key, &s->cap, n, sizeof(*s->key));
	for (i = 0; i < n; i++)
		s->key[i] = item[i].key;
	s->n = n;
}

void
steady_forget(struct steady *s)
{
	s->n = 0;
}

void
steady_free(struct steady *s)
{
	free(s->key);
}
