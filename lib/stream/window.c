/* window.c - counts of stacks in the last seconds of a stream. */
#include "stream/window.h"

#include "base/mem.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

/* Half-lives after which a stack is 0: a millionth of its count is left. */
#define MEMORY 20

/* Half-lives after which faded sums are rescaled, before doubles overflow. */
#define SCALE 512

/* Add up equal cells only if there are at least this many. */
#define MIN_CELLS 1024

void
window_tallies_add(struct tallies *sum, const struct tallies *t)
{
	sum->samples += t->samples;
	sum->lost += t->lost;
	sum->broken += t->broken;
	sum->rounds += t->rounds;
}

static void
add(struct count *sum, struct count c)
{
	if (!count_add(sum, c))
		errx(2, "the counts of a stack add up to more than 64 bits");
}

/* Slices. */

static int
compare_cells(const void *a, const void *b)
{
	const struct slice_cell *x = a, *y = b;

	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Add up equal stacks. */
static void
pack(struct slice *s)
{
	size_t i, n = 0;

	if (s->n == s->packed)
		return;
	qsort(s->cell, s->n, sizeof(*s->cell), compare_cells);
	for (i = 0; i < s->n; i++) {
		if (n > 0 && s->cell[n - 1].stack == s->cell[i].stack)
			add(&s->cell[n - 1].count, s->cell[i].count);
		else
			s->cell[n++] = s->cell[i];
	}
	s->n = s->packed = n;
}

void
window_slice_add(struct slice *s, uint32_t stack, struct count count)
{
	if (s->n == s->cap && s->n >= MIN_CELLS && s->n >= 2 * s->packed)
		pack(s);
	s->cell = mem_grow(s->cell, &s->cap, s->n + 1, sizeof(*s->cell));
	s->cell[s->n++] = (struct slice_cell){ stack, count };
}

void
window_slice_renumber(struct slice *s, uint32_t (*number)(void *, uint32_t),
		      void *arg)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		s->cell[i].stack = number(arg, s->cell[i].stack);
	s->packed = 0;
}

void
window_slice_free(struct slice *s)
{
	free(s->cell);
	*s = (struct slice){ 0 };
}

static double
slice_weight(const struct slice *s)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		sum += count_double(s->cell[i].count);
	return sum;
}

void
window_drop(struct window *w)
{
	w->open.n = w->open.packed = 0;
}

/*
 * Sums since the start.  Sums that fade are scaled to a time in the past, the
 * origin.  Nothing changes as time passes, but later counts weigh more (Cormode
 * and others, Forward Decay, 2009).
 */

/* The weight of a count now, relative to a count at the origin. */
static double
weight_now(const struct window *w)
{
	return w->half_life > 0 ? exp2((w->age - w->origin) / w->half_life) : 1;
}

static void
scale(struct tallies *t, double factor)
{
	t->samples *= factor;
	t->lost *= factor;
	t->broken *= factor;
	t->rounds *= factor;
}

static void
move_origin(struct window *w)
{
	const double factor = 1 / weight_now(w);
	size_t i;

	for (i = 0; i < w->sum_cap; i++)
		w->sum[i].faded *= factor;
	scale(&w->sum_tallies, factor);
	w->sum_weight *= factor;
	w->sum_length *= factor;
	w->origin = w->age;
}

static void
grow_sums(struct window *w, size_t n)
{
	size_t old = w->sum_cap;

	w->sum = mem_grow(w->sum, &w->sum_cap, n, sizeof(*w->sum));
	if (w->sum_cap > old)
		memset(w->sum + old, 0, (w->sum_cap - old) * sizeof(*w->sum));
}

static void
add_to_sum(struct window *w, const struct slice *s)
{
	struct tallies tallies = s->tallies;
	struct window_sum *sum;
	double factor;
	size_t i;

	if (w->half_life > 0 && w->age - w->origin > SCALE * w->half_life)
		move_origin(w);
	factor = weight_now(w);
	for (i = 0; i < s->n; i++) {
		grow_sums(w, (size_t)s->cell[i].stack + 1);
		sum = &w->sum[s->cell[i].stack];
		if (w->half_life == 0)
			add(&sum->exact, s->cell[i].count);
		sum->faded += count_double(s->cell[i].count) * factor;
		sum->seen = w->age;
	}
	scale(&tallies, factor);
	window_tallies_add(&w->sum_tallies, &tallies);
	w->sum_weight += slice_weight(s) * factor;
	w->sum_length += (double)(s->end - s->begin) * factor;
}

static struct count
round_count(double x)
{
	struct count c = { 0, 0 };
	double units = floor(x);

	if (x >= 0x1p64)
		errx(2, "the counts of a stack add up to more than 64 bits");
	c.units = (uint64_t)units;
	c.micro = (uint32_t)((x - units) * 1e6 + 0.5);
	if (c.micro == 1000000) {
		c.micro = 0;
		add(&c, count_of(1));
	}
	return c;
}

static struct count
sum_of(const struct window *w, const struct window_sum *s, double factor)
{
	if (w->half_life == 0)
		return s->exact;
	if (w->age - s->seen > MEMORY * w->half_life)
		return count_of(0);
	return round_count(s->faded * factor);
}

static struct window_total
read_sums(const struct window *w, struct count *count, uint32_t n)
{
	const size_t known = n < w->sum_cap ? n : w->sum_cap;
	const double factor = 1 / weight_now(w);
	struct window_total t = { w->sum_weight * factor, w->sum_tallies,
				  w->sum_length * factor, w->end };
	size_t i;

	scale(&t.tallies, factor);
	for (i = 0; i < known; i++)
		count[i] = sum_of(w, &w->sum[i], factor);
	return t;
}

/* The window. */

/* Remove the n oldest slices. */
static void
remove_oldest(struct window *w, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		window_slice_free(&w->slice[i]);
	w->n -= n;
	if (n > 0)
		memmove(w->slice, w->slice + n, w->n * sizeof(*w->slice));
}

void
window_add(struct window *w, struct slice *s)
{
	size_t i;

	pack(s);
	if (w->is_timed && s->end > w->end)
		w->age += (double)(s->end - w->end);
	w->is_timed = true;
	w->end = s->end;
	if (w->sums)
		add_to_sum(w, s);
	if (w->n > 0 && s->end < w->slice[w->n - 1].begin)
		remove_oldest(w, w->n);
	for (i = 0; i < w->n; i++) {
		if (s->end < w->slice[i].end ||
		    s->end - w->slice[i].end < w->length)
			break;
	}
	remove_oldest(w, i);
	w->slice = mem_grow(w->slice, &w->cap, w->n + 1, sizeof(*w->slice));
	w->slice[w->n++] = *s;
	*s = (struct slice){ 0 };
}

void
window_end(struct window *w, uint64_t begin, uint64_t end,
	   const struct tallies *tallies)
{
	struct slice *s = &w->open;

	s->begin = begin;
	s->end = end;
	s->tallies = *tallies;
	if (end > 0) {
		window_add(w, s);
		return;
	}
	if (w->sums)
		add_to_sum(w, s);
	window_drop(w);
}

void
window_clear(struct window *w)
{
	remove_oldest(w, w->n);
	if (w->sum != NULL)
		memset(w->sum, 0, w->sum_cap * sizeof(*w->sum));
	w->sum_tallies = (struct tallies){ 0 };
	w->sum_weight = w->sum_length = 0;
}

struct window_total
window_read(const struct window *w, bool since_start, struct count *count,
	    uint32_t n)
{
	struct window_total t = { .end = w->end };
	const struct slice *s;
	size_t i;

	if (n > 0)
		memset(count, 0, n * sizeof(*count));
	if (since_start || !w->is_timed)
		return read_sums(w, count, n);
	for (s = w->slice; s < w->slice + w->n; s++) {
		for (i = 0; i < s->n; i++)
			add(&count[s->cell[i].stack], s->cell[i].count);
		t.weight += slice_weight(s);
		window_tallies_add(&t.tallies, &s->tallies);
		t.length += (double)(s->end - s->begin);
	}
	return t;
}

void
window_renumber(struct window *w, uint32_t (*number)(void *, uint32_t),
		void *arg)
{
	struct window_sum *sum = w->sum;
	const size_t n = w->sum_cap;
	const double factor = 1 / weight_now(w);
	uint32_t stack;
	size_t i;

	for (i = 0; i < w->n; i++)
		window_slice_renumber(&w->slice[i], number, arg);
	w->sum = NULL;
	w->sum_cap = 0;
	for (i = 0; i < n; i++) {
		if (count_iszero(sum_of(w, &sum[i], factor)))
			continue;
		stack = number(arg, (uint32_t)i);
		grow_sums(w, (size_t)stack + 1);
		w->sum[stack] = sum[i];
	}
	free(sum);
}

void
window_free(struct window *w)
{
	remove_oldest(w, w->n);
	free(w->slice);
	window_slice_free(&w->open);
	free(w->sum);
}
