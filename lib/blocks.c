/* blocks.c - how much seconds of a run differ. */
#include "blocks.h"

#include "mem.h"

#include <stdlib.h>

/* Of a longer run blocks are longer than a second. */
#define MOST 64

/* From the first second of a run to its last; false if not all have one. */
static bool
find_span(const struct run *run, uint32_t *first, uint32_t *last)
{
	uint32_t second;
	size_t i;

	*first = UINT32_MAX;
	*last = 0;
	for (i = 0; i < run->n; i++) {
		second = run->weight[i].second;
		if (second == 0)
			return false;
		*first = second < *first ? second : *first;
		*last = second > *last ? second : *last;
	}
	return run->n > 0;
}

/*
 * Take in a pair of blocks: that of a row has x and y samples, of all that
 * there are the first row has.
 */
static void
add_pair(struct blocks *b, const struct rows *r, const double *x,
	 const double *y)
{
	double all = x[0] + y[0], n, difference;
	uint32_t row;

	if (!(x[0] > 0) || !(y[0] > 0))
		return;
	b->pairs++;
	for (row = 1; row < r->n; row++) {
		n = x[row] + y[row];
		/* Sums of the same numbers in another order. */
		if (!(n > 0) || all - n < 1e-9 * all)
			continue;
		difference = (x[row] * y[0] - y[row] * x[0]) / all;
		b->square[row] += difference * difference;
		b->variance[row] += x[0] * y[0] / all * (n / all) *
				    (1 - n / all);
		b->n[row] += n;
		b->df[row]++;
	}
}

static void
measure_run(struct blocks *b, const struct rows *r, size_t k, double *x,
	    double *y)
{
	uint32_t first, last, length;

	if (!find_span(&r->sides->run[k], &first, &last))
		return;
	length = 1 + (last - first) / MOST;
	for (; last - first >= length; first += 2 * length) {
		rows_fill(r, k, first, length, x);
		rows_fill(r, k, first + length, length, y);
		add_pair(b, r, x, y);
		if (last - first < 2 * length)
			break;
	}
}

void
blocks_measure(struct blocks *b, const struct rows *r)
{
	double *x = mem_zero(r->n, sizeof(*x)), *y = mem_zero(r->n, sizeof(*y));
	size_t i;

	b->square = mem_zero(r->n, sizeof(*b->square));
	b->variance = mem_zero(r->n, sizeof(*b->variance));
	b->n = mem_zero(r->n, sizeof(*b->n));
	b->df = mem_zero(r->n, sizeof(*b->df));
	for (i = 0; i < r->sides->n; i++)
		measure_run(b, r, i, x, y);
	free(x);
	free(y);
}

struct spread
blocks_get(const struct blocks *b, uint32_t row)
{
	struct spread s = { .df = b->df[row] };

	s.mean = b->pairs > 0 ? b->n[row] / (2 * (double)b->pairs) : 0;
	s.wanted = s.mean;
	/* Of bursts, the mean of ratios would see little. */
	s.phi = s.df > 0 ? b->square[row] / b->variance[row] : 0;
	return s;
}

void
blocks_free(struct blocks *b)
{
	free(b->square);
	free(b->variance);
	free(b->n);
	free(b->df);
}
