/* robust.c - how much more was run after than before, by most functions. */
#include "robust.h"

#include "mem.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>

/* A function's own samples. */
struct own {
	double x, y;
	double ratio, weight;
};

enum { FEWEST = 5, LEAST = 10, ROUNDS = 6 };

/* The own samples of all functions that have enough on both sides. */
static struct own *
find_own(const struct rows *r, size_t *n)
{
	const struct trie_frame *frame = r->sides->trie.frame;
	struct own *own = mem_zero(r->functions, sizeof(*own));
	double *sum, *c;
	uint32_t i;
	size_t k;

	for (k = 0; k < r->sides->n; k++) {
		c = r->column[k];
		for (i = 1; i < r->frames; i++) {
			bool before = r->sides->run[k].side == BEFORE;

			sum = before ? &own[r->of[i]].x : &own[r->of[i]].y;
			*sum += c[i];
			if (frame[i].parent == 0)
				continue;
			sum = before ? &own[r->of[frame[i].parent]].x :
				       &own[r->of[frame[i].parent]].y;
			*sum -= c[i];
		}
	}
	*n = 0;
	for (i = 0; i < r->functions; i++) {
		if (own[i].x >= LEAST && own[i].y >= LEAST)
			own[(*n)++] = own[i];
	}
	return own;
}

static int
by_ratio(const void *a, const void *b)
{
	const struct own *x = a, *y = b;

	return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* The median of the ratios, each with the precision of its logarithm. */
static double
weighted_median(struct own *own, size_t n)
{
	double all = 0, sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		own[i].ratio = own[i].y / own[i].x;
		own[i].weight = 1 / (1 / own[i].x + 1 / own[i].y);
		all += own[i].weight;
	}
	qsort(own, n, sizeof(*own), by_ratio);
	for (i = 0; i + 1 < n; i++) {
		sum += own[i].weight;
		if (sum >= all / 2)
			break;
	}
	return own[i].ratio;
}

double
robust_ratio(const struct rows *r, double *error)
{
	size_t i, n, kept = 0;
	struct own *own = find_own(r, &n);
	double ratio, x = 0, y = 0;
	int round;

	*error = 0;
	if (n < FEWEST) {
		free(own);
		return 0;
	}
	ratio = weighted_median(own, n);
	for (round = 0; round < ROUNDS; round++) {
		x = y = 0;
		kept = 0;
		for (i = 0; i < n; i++) {
			if (fabs(stats_root_g(own[i].x, own[i].y, 1, ratio,
					      0)) >= 2)
				continue;
			x += own[i].x;
			y += own[i].y;
			kept++;
		}
		if (kept < FEWEST)
			break;
		ratio = y / x;
	}
	free(own);
	/* "Most" are more than half of them. */
	if (kept < FEWEST || 2 * kept <= n)
		return 0;
	*error = sqrt(1 / x + 1 / y);
	return ratio;
}
