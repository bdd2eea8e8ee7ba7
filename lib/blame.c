/* blame.c - the frames and functions that explain what changed. */
#include "blame.h"

#include "mem.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>

/* The normal deviate of intervals that hold 19 times in 20. */
#define Z95 1.959964

/* The variance of the logarithm of a count, which may be a share of a total. */
static double
log_variance(const struct judge *j, double n, double share)
{
	return (j->exposure.shares ? fmax(1 - share, 0) : 1) / n;
}

/* The ratio of rates, and the interval of its logarithm; folddiff(1). */
static void
set_ratio(const struct judge *j, const struct test *t, struct change *c)
{
	double rate = j->exposure.total[BEFORE] / j->exposure.total[AFTER];
	double x = c->x + 0.5, y = c->y + 0.5;
	double error = sqrt(t->phi * (log_variance(j, x, c->share[BEFORE]) +
				      log_variance(j, y, c->share[AFTER])));
	double factor = exp(stats_t(Z95, t->df) * error);

	c->ratio = c->x > 0 ? c->y / c->x * rate : HUGE_VAL;
	c->lo = c->y > 0 ? y / x * rate / factor : 0;
	c->hi = c->x > 0 ? y / x * rate * factor : HUGE_VAL;
}

static enum change_class
class_of(const struct change *c, double t)
{
	if (!(c->x > 0))
		return CHANGE_NEW;
	if (!(c->y > 0))
		return CHANGE_GONE;
	return t > 0 ? CHANGE_UP : CHANGE_DOWN;
}

/* Keep the values of a change, which are in j->scratch. */
static size_t
keep_values(struct judge *j)
{
	size_t n = j->rows.sides->n, at = j->nvalue;

	j->value = mem_grow(j->value, &j->value_cap, at + n, sizeof(*j->value));
	memcpy(j->value + at, j->scratch, n * sizeof(*j->value));
	j->nvalue += n;
	return at;
}

/*
 * The rate of false discoveries down to a test, or to what is left of it: that
 * was held to the limit by which the last of the significant ones was.
 */
static double
rate_of(const struct judge *j, const struct test *t, const struct test *whole)
{
	return fmax(whole->q, t->p * (double)j->n / (double)j->significant);
}

/*
 * Note a change, whose values are in j->scratch, unless its effect is too
 * small; whether it was noted.
 */
static bool
add_change(struct judge *j, const struct test *t, const struct test *whole)
{
	struct change c = { .row = t->row, .x = t->trial.x, .y = t->trial.y };

	c.t = t->t;
	c.p = t->p;
	c.q = rate_of(j, t, whole);
	c.share[BEFORE] = c.x / j->exposure.total[BEFORE];
	c.share[AFTER] = c.y / j->exposure.total[AFTER];
	c.class = class_of(&c, t->t);
	set_ratio(j, t, &c);
	if (fabs(c.ratio - 1) < j->option.min_effect)
		return false;
	c.value = keep_values(j);
	j->change = mem_grow(j->change, &j->change_cap, j->nchange + 1,
			     sizeof(*j->change));
	j->change[j->nchange++] = c;
	return true;
}

/*
 * Whether what is left, in j->scratch, is significant by itself, and has the
 * sign of the whole: a change is no reason for its opposite.
 */
static bool
is_left_significant(const struct judge *j, const struct test *whole,
		    struct test *t)
{
	*t = judge_values(j, whole->row, j->scratch);
	return t->p <= j->limit && t->trial.x + t->trial.y >= 10 &&
	       t->t * whole->t > 0;
}

/* The significant tests of frames, or of functions, in an order. */
static const struct test **
sort_significant(const struct judge *j, bool functions,
		 int (*order)(const void *, const void *), size_t *n)
{
	const struct test **list = mem_zero(j->significant, sizeof(*list));
	size_t i;

	*n = 0;
	for (i = 0; i < j->significant; i++) {
		if ((j->test[i].row >= j->rows.frames) == functions)
			list[(*n)++] = &j->test[i];
	}
	qsort(list, *n, sizeof(*list), order);
	return list;
}

/* Callees have higher numbers than their callers. */
static int
callees_first(const void *a, const void *b)
{
	const struct test *x = *(const struct test *const *)a;
	const struct test *y = *(const struct test *const *)b;

	return (x->row < y->row) - (x->row > y->row);
}

static void
blame_frames(struct judge *j, struct left *l)
{
	size_t i, n;
	const struct test **whole = sort_significant(j, false, callees_first,
						     &n);
	struct test t;

	for (i = 0; i < n; i++) {
		left_get(l, whole[i]->row, j->scratch);
		t = *whole[i];
		if (left_is_less(l, t.row) &&
		    !is_left_significant(j, whole[i], &t))
			continue;
		if (add_change(j, &t, whole[i]))
			left_explain(l, t.row);
	}
	free(whole);
}

/*
 * Whether a function that is only on one side was only called by others of
 * which that is true too: they are to blame.
 */
static bool
is_callers(const struct judge *j, const struct test *t)
{
	const struct rows *r = &j->rows;
	uint32_t i, up;
	const struct test *caller;

	if (t->trial.x > 0 && t->trial.y > 0)
		return false;
	for (i = r->top[t->row - r->frames]; i != 0; i = r->another[i]) {
		up = r->sides->trie.frame[i].parent;
		if (up == 0)
			return false;
		caller = judge_significant(j, r->frames + r->of[up]);
		if (caller == NULL || (t->trial.x > 0 ? caller->trial.y > 0 :
							caller->trial.x > 0))
			return false;
	}
	return true;
}

/* Add up what is left of a function in j->scratch; whether it is less. */
static bool
sum_left(struct judge *j, const struct left *l, uint32_t f)
{
	const struct rows *r = &j->rows;
	size_t k, runs = r->sides->n;
	double *v = mem_zero(runs, sizeof(*v));
	bool less = false;
	uint32_t i;

	memset(j->scratch, 0, runs * sizeof(*j->scratch));
	for (i = r->top[f]; i != 0; i = r->another[i]) {
		if (left_is_explained(l, i)) {
			less = true;
			continue;
		}
		less |= left_is_less(l, i);
		left_get(l, i, v);
		for (k = 0; k < runs; k++)
			j->scratch[k] += v[k];
	}
	free(v);
	return less;
}

static int
rarer_first(const void *a, const void *b)
{
	const struct test *x = *(const struct test *const *)a;
	const struct test *y = *(const struct test *const *)b;
	double n = x->trial.x + x->trial.y, m = y->trial.x + y->trial.y;

	if (n != m)
		return n < m ? -1 : 1;
	/* Of equal ones, the callee. */
	return callees_first(a, b);
}

static void
blame_functions(struct judge *j, struct left *l)
{
	const struct rows *r = &j->rows;
	size_t i, n;
	const struct test **whole = sort_significant(j, true, rarer_first, &n);
	struct test t;
	uint32_t f, frame;

	for (i = 0; i < n; i++) {
		f = whole[i]->row - r->frames;
		t = *whole[i];
		if (is_callers(j, whole[i]) ||
		    (sum_left(j, l, f) &&
		     !is_left_significant(j, whole[i], &t)) ||
		    !add_change(j, &t, whole[i]))
			continue;
		for (frame = r->top[f]; frame != 0; frame = r->another[frame]) {
			if (!left_is_explained(l, frame))
				left_explain(l, frame);
		}
	}
	free(whole);
}

static int
surer_first(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	double t = fabs(x->t), u = fabs(y->t);

	if (fabs(t - u) > 1e-9 * t)
		return t > u ? -1 : 1;
	/* Of two that are all there is, the one that grew. */
	if ((x->t > 0) != (y->t > 0))
		return x->t > 0 ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/*
 * Where one function takes a larger share of the total, all others have a
 * smaller one.  So, from change number first on and the surest first, keep
 * those that are significant among the samples that no surer one has.
 */
static void
drop_displaced(struct judge *j, size_t first)
{
	struct change *c = first == 0 ? j->change : j->change + first;
	size_t i, k, runs = j->rows.sides->n, n = j->nchange - first, kept = 0;
	double *less = mem_zero(runs, sizeof(*less));
	struct test t;

	if (n > 0)
		qsort(c, n, sizeof(*c), surer_first);
	for (i = 0; i < n && j->exposure.shares; i++) {
		const double *v = j->value + c[i].value;

		t = judge_trial(j, c[i].row,
				rows_try_without(&j->rows, v, less));
		if (t.p > j->limit || t.t * c[i].t <= 0)
			continue;
		for (k = 0; k < runs; k++)
			less[k] += v[k];
		c[kept++] = c[i];
	}
	if (j->exposure.shares)
		j->nchange = first + kept;
	free(less);
}

static double
size_of(const struct change *c)
{
	return fabs(c->share[AFTER] - c->share[BEFORE]);
}

static int
larger_first(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (size_of(x) != size_of(y))
		return size_of(x) > size_of(y) ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

void
blame(struct judge *j)
{
	struct left frames, functions;
	size_t i, n;

	if (j->significant == 0)
		return;
	left_init(&frames, &j->rows);
	blame_frames(j, &frames);
	drop_displaced(j, 0);
	find_moved(j, &frames);
	left_free(&frames);
	left_init(&functions, &j->rows);
	/* No function is to blame for what only moved. */
	for (i = 0; i < j->nchange; i++) {
		if (j->change[i].class == CHANGE_MOVED)
			left_explain(&functions, j->change[i].row);
	}
	n = j->nchange;
	blame_functions(j, &functions);
	drop_displaced(j, n);
	left_free(&functions);
	if (j->nchange > 0)
		qsort(j->change, j->nchange, sizeof(*j->change), larger_first);
	find_renamed(j);
}
