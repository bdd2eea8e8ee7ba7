/* size_factor.c - the size factor between two sides. */
#include "diff/size_factor.h"

#include "base/mem.h"
#include "diff/stats.h"

#include <math.h>
#include <stdlib.h>

/* A function's own samples, before and after. */
struct own_samples {
	double x, y;
	double ratio, weight;
};

enum { MIN_FUNCTIONS = 5, MIN_SAMPLES = 10, ROUNDS = 6 };

/* The own samples of the functions that have enough on both sides. */
static struct own_samples *
find_own(const struct sample_matrix *m, size_t *n)
{
	const struct trie_frame *frame = m->comparison->trie.frame;
	struct own_samples *own = mem_zero(m->functions, sizeof(*own));
	double *sum, *c;
	uint32_t i;
	size_t k;

	for (k = 0; k < m->comparison->n; k++) {
		c = m->column[k];
		for (i = 1; i < m->frames; i++) {
			bool before = m->comparison->run[k].side == BEFORE;

			sum = before ? &own[m->function_of[i]].x :
				       &own[m->function_of[i]].y;
			*sum += c[i];
			if (frame[i].parent == 0)
				continue;
			sum = before ? &own[m->function_of[frame[i].parent]].x :
				       &own[m->function_of[frame[i].parent]].y;
			*sum -= c[i];
		}
	}
	*n = 0;
	for (i = 0; i < m->functions; i++) {
		if (own[i].x >= MIN_SAMPLES && own[i].y >= MIN_SAMPLES)
			own[(*n)++] = own[i];
	}
	return own;
}

static int
by_ratio(const void *a, const void *b)
{
	const struct own_samples *x = a, *y = b;

	return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* The median of the ratios, weighted by the precision of their logarithms. */
static double
weighted_median(struct own_samples *own, size_t n)
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
size_factor_ratio(const struct sample_matrix *m, double *error)
{
	size_t i, n, kept = 0;
	struct own_samples *own = find_own(m, &n);
	double ratio, x = 0, y = 0;
	int round;

	*error = 0;
	if (n < MIN_FUNCTIONS) {
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
		if (kept < MIN_FUNCTIONS)
			break;
		ratio = y / x;
	}
	free(own);
	/* "Most" are more than half of them. */
	if (kept < MIN_FUNCTIONS || 2 * kept <= n)
		return 0;
	*error = sqrt(1 / x + 1 / y);
	return ratio;
}
