/* stable_order.c - sorts by sampled counts without reordering by noise. */
#include "top/stable_order.h"

#include "base/mem.h"
#include "base/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether a exceeds b by more than two standard deviations. */
static bool
exceeds(const struct stable_order_item *a, const struct stable_order_item *b)
{
	return a->samples - b->samples > 2 * sqrt(a->samples + b->samples);
}

static void
move_up(struct stable_order_item *item, size_t from, size_t to)
{
	const struct stable_order_item moved = item[from];

	memmove(item + to + 1, item + to, (from - to) * sizeof(*item));
	item[to] = moved;
}

/* An item of the previous order; item is NULL if it is gone. */
struct stable_order_rank {
	uint64_t key;
	const struct stable_order_item *item;
	UT_hash_handle hh;
};

/*
 * Move the items of the previous order to the front, in that order.  Return how
 * many there are.
 */
static size_t
restore_order(const struct stable_order *s, struct stable_order_item *item,
	      size_t n)
{
	struct stable_order_rank *rank = mem_zero(s->n + 1, sizeof(*rank));
	struct stable_order_rank *ranks = NULL, *found;
	struct stable_order_item *old = mem_zero(n + 1, sizeof(*old));
	size_t i, known = 0, others = n;

	memcpy(old, item, n * sizeof(*old));
	for (i = 0; i < s->n; i++) {
		rank[i].key = s->key[i];
		HASH_ADD(hh, ranks, key, sizeof(rank[i].key), &rank[i]);
	}
	for (i = n; i > 0; i--) {
		HASH_FIND(hh, ranks, &old[i - 1].key, sizeof(old->key), found);
		if (found != NULL)
			found->item = &old[i - 1];
		else
			item[--others] = old[i - 1];
	}
	for (i = 0; i < s->n; i++) {
		if (rank[i].item != NULL)
			item[known++] = *rank[i].item;
	}
	HASH_CLEAR(hh, ranks);
	free(rank);
	free(old);
	return known;
}

void
stable_order_sort(struct stable_order *s, struct stable_order_item *item,
		  size_t n)
{
	const size_t known = restore_order(s, item, n);
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
stable_order_forget(struct stable_order *s)
{
	s->n = 0;
}

void
stable_order_free(struct stable_order *s)
{
	free(s->key);
}
