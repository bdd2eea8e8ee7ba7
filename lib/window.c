/* window.c - the weights of stacks in the last seconds of a stream. */
#include "window.h"

#include "mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
window_add(struct window *w, uint32_t stack, double weight)
{
	struct slice *s = &w->open;

	s->cell = mem_grow(s->cell, &s->cap, s->n + 1, sizeof(*s->cell));
	s->cell[s->n++] = (struct slice_cell){ stack, weight };
}

void
window_drop(struct window *w)
{
	w->open.n = 0;
}

static double
slice_weight(const struct slice *s)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		sum += s->cell[i].weight;
	return sum;
}

/* The sum as it is when so many ns have passed. */
static void
fade(struct window *w, double ns)
{
	const double left = exp2(-ns / w->half_life);
	size_t i;

	for (i = 0; i < w->sum_cap; i++)
		w->sum[i] *= left;
	w->sum_weight *= left;
	w->sum_samples *= left;
	w->sum_length *= left;
}

static void
add_to_sum(struct window *w, const struct slice *s)
{
	size_t i, old;

	if (w->half_life > 0 && s->end > w->end)
		fade(w, (double)(s->end - w->end));
	for (i = 0; i < s->n; i++) {
		old = w->sum_cap;
		w->sum = mem_grow(w->sum, &w->sum_cap,
				  (size_t)s->cell[i].stack + 1,
				  sizeof(*w->sum));
		if (w->sum_cap > old)
			memset(w->sum + old, 0,
			       (w->sum_cap - old) * sizeof(*w->sum));
		w->sum[s->cell[i].stack] += s->cell[i].weight;
	}
	w->sum_weight += slice_weight(s);
	w->sum_samples += s->samples;
	w->sum_length += (double)(s->end - s->begin);
}

/* Forget the n oldest pieces. */
static void
forget(struct window *w, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(w->slice[i].cell);
	w->n -= n;
	if (n > 0)
		memmove(w->slice, w->slice + n, w->n * sizeof(*w->slice));
}

static void
add_slice(struct window *w, const struct slice *s)
{
	size_t i;

	w->is_timed = true;
	if (w->n > 0 && s->end < w->slice[w->n - 1].begin)
		forget(w, w->n);
	w->end = s->end;
	for (i = 0; i < w->n; i++) {
		if (s->end < w->slice[i].end ||
		    s->end - w->slice[i].end < w->length)
			break;
	}
	forget(w, i);
	w->slice = mem_grow(w->slice, &w->cap, w->n + 1, sizeof(*w->slice));
	w->slice[w->n++] = *s;
}

void
window_end(struct window *w, uint64_t begin, uint64_t end, double samples)
{
	struct slice *s = &w->open;

	s->begin = begin;
	s->end = end;
	s->samples = samples;
	add_to_sum(w, s);
	if (end == 0) {
		s->n = 0;
		return;
	}
	add_slice(w, s);
	*s = (struct slice){ 0 };
}

void
window_clear(struct window *w)
{
	forget(w, w->n);
	if (w->sum != NULL)
		memset(w->sum, 0, w->sum_cap * sizeof(*w->sum));
	w->sum_weight = w->sum_samples = w->sum_length = 0;
}

struct window_total
window_read(const struct window *w, bool since_start, double *weight,
	    uint32_t n)
{
	struct window_total t = { 0, 0, 0 };
	const struct slice *s;
	size_t i, known = n < w->sum_cap ? n : w->sum_cap;

	if (n > 0)
		memset(weight, 0, n * sizeof(*weight));
	if (since_start || !w->is_timed) {
		if (known > 0)
			memcpy(weight, w->sum, known * sizeof(*weight));
		return (struct window_total){ w->sum_weight, w->sum_samples,
					      w->sum_length };
	}
	for (s = w->slice; s < w->slice + w->n; s++) {
		for (i = 0; i < s->n; i++)
			weight[s->cell[i].stack] += s->cell[i].weight;
		t.weight += slice_weight(s);
		t.samples += s->samples;
		t.length += (double)(s->end - s->begin);
	}
	return t;
}

void
window_free(struct window *w)
{
	forget(w, w->n);
	free(w->slice);
	free(w->open.cell);
	free(w->sum);
}
