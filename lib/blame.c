/* blame.c - the frames and functions that explain what changed. */
#include "blame.h"

#include "mem.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>

/* The normal deviate of intervals that hold 19 times in 20. */
#define Z95 1.959964

/* What is left to explain. */
struct left {
	struct judge *j;
	double **column;   /* by run and frame */
	bool *less;        /* something below the frame is explained */
	bool *gone;        /* the frame itself is, with all below it */
	uint32_t *frame;   /* of a function: the first of its frames, */
	uint32_t *another; /* after a frame: the next one of its function */
};

static void
begin(struct left *l, struct judge *j)
{
	const struct rows *r = &j->rows;
	size_t i, size = r->frames * sizeof(double);

	*l = (struct left){ .j = j };
	l->column = mem_zero(r->sides->n, sizeof(*l->column));
	for (i = 0; i < r->sides->n; i++) {
		l->column[i] = mem_alloc(size);
		memcpy(l->column[i], r->column[i], size);
	}
	l->less = mem_zero(r->frames, sizeof(*l->less));
	l->gone = mem_zero(r->frames, sizeof(*l->gone));
}

static void
end(struct left *l)
{
	size_t i;

	for (i = 0; i < l->j->rows.sides->n; i++)
		free(l->column[i]);
	free(l->column);
	free(l->less);
	free(l->gone);
	free(l->frame);
	free(l->another);
}

/* Explain what is left of a frame: it goes from all that call it. */
static void
explain(struct left *l, uint32_t frame)
{
	const struct rows *r = &l->j->rows;
	uint32_t up;
	size_t i;

	for (i = 0; i < r->sides->n; i++) {
		double *c = l->column[i], n = c[frame];

		for (up = frame; up != 0; up = r->sides->trie.frame[up].parent)
			c[up] = c[up] > n ? c[up] - n : 0;
	}
	for (up = frame; up != 0; up = r->sides->trie.frame[up].parent)
		l->less[up] = true;
	l->gone[frame] = true;
}

/* The ratio of rates, and the interval of its logarithm; folddiff(1). */
static void
set_ratio(const struct judge *j, const struct test *t, struct change *c)
{
	double rate = j->exposure.total[BEFORE] / j->exposure.total[AFTER];
	double x = c->x + 0.5, y = c->y + 0.5;
	double error = sqrt(t->phi * (1 / x + 1 / y));
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
 * Note a change, whose values are in j->scratch, unless its effect is too
 * small; whether it was noted.
 */
static bool
add_change(struct judge *j, const struct test *t, const struct test *whole)
{
	struct change c = { .row = t->row, .x = t->trial.x, .y = t->trial.y };

	c.t = t->t;
	c.p = t->p;
	c.q = whole->q;
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

static void
blame_frames(struct left *l)
{
	struct judge *j = l->j;
	const struct test *whole;
	struct test t;
	uint32_t i;
	size_t k;

	/* Callees have higher numbers than their callers. */
	for (i = j->rows.frames - 1; i > 0; i--) {
		whole = judge_significant(j, i);
		if (whole == NULL)
			continue;
		for (k = 0; k < j->rows.sides->n; k++)
			j->scratch[k] = l->column[k][i];
		t = *whole;
		if (l->less[i] && !is_left_significant(j, whole, &t))
			continue;
		if (add_change(j, &t, whole))
			explain(l, i);
	}
}

static bool
is_explained(const struct left *l, uint32_t i)
{
	while (i != 0 && !l->gone[i])
		i = l->j->rows.sides->trie.frame[i].parent;
	return i != 0;
}

/* Chain the frames of each function that stand for their stacks. */
static void
chain_frames(struct left *l)
{
	const struct rows *r = &l->j->rows;
	uint32_t i;

	l->frame = mem_zero(r->functions, sizeof(*l->frame));
	l->another = mem_zero(r->frames, sizeof(*l->another));
	for (i = r->frames - 1; i > 0; i--) {
		if (!r->top[i])
			continue;
		l->another[i] = l->frame[r->of[i]];
		l->frame[r->of[i]] = i;
	}
}

/*
 * Whether a function that is only on one side was only called by others of
 * which that is true too: they are to blame.
 */
static bool
is_callers(const struct left *l, const struct test *t)
{
	const struct rows *r = &l->j->rows;
	uint32_t f = t->row - r->frames, i, up;
	const struct test *caller;

	if (t->trial.x > 0 && t->trial.y > 0)
		return false;
	for (i = l->frame[f]; i != 0; i = l->another[i]) {
		up = r->sides->trie.frame[i].parent;
		if (up == 0)
			return false;
		caller = judge_significant(l->j, r->frames + r->of[up]);
		if (caller == NULL || (t->trial.x > 0 ? caller->trial.y > 0 :
							caller->trial.x > 0))
			return false;
	}
	return true;
}

/* Add up what is left of a function in j->scratch; whether it is less. */
static bool
sum_left(const struct left *l, uint32_t f)
{
	const struct rows *r = &l->j->rows;
	bool less = false, explained;
	uint32_t i;
	size_t k;

	memset(l->j->scratch, 0, r->sides->n * sizeof(*l->j->scratch));
	for (i = l->frame[f]; i != 0; i = l->another[i]) {
		explained = is_explained(l, i);
		less |= explained || l->less[i];
		for (k = 0; k < r->sides->n && !explained; k++)
			l->j->scratch[k] += l->column[k][i];
	}
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
	return (x->row < y->row) - (x->row > y->row);
}

/* The significant tests of functions, the rarer ones first. */
static const struct test **
rare_functions(const struct judge *j, size_t *n)
{
	const struct test **f = mem_zero(j->significant, sizeof(*f));
	size_t i;

	*n = 0;
	for (i = 0; i < j->significant; i++) {
		if (j->test[i].row >= j->rows.frames)
			f[(*n)++] = &j->test[i];
	}
	qsort(f, *n, sizeof(*f), rarer_first);
	return f;
}

static void
blame_functions(struct left *l)
{
	struct judge *j = l->j;
	size_t i, n;
	const struct test **whole = rare_functions(j, &n);
	struct test t;
	uint32_t f, frame;

	chain_frames(l);
	for (i = 0; i < n; i++) {
		f = whole[i]->row - j->rows.frames;
		t = *whole[i];
		if (is_callers(l, whole[i]) ||
		    (sum_left(l, f) && !is_left_significant(j, whole[i], &t)) ||
		    !add_change(j, &t, whole[i]))
			continue;
		for (frame = l->frame[f]; frame != 0;
		     frame = l->another[frame]) {
			if (!is_explained(l, frame))
				explain(l, frame);
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
	begin(&frames, j);
	blame_frames(&frames);
	drop_displaced(j, 0);
	find_moved(j, frames.column);
	end(&frames);
	begin(&functions, j);
	/* No function is to blame for what only moved. */
	for (i = 0; i < j->nchange; i++) {
		if (j->change[i].class == CHANGE_MOVED)
			explain(&functions, j->change[i].row);
	}
	n = j->nchange;
	blame_functions(&functions);
	drop_displaced(j, n);
	end(&functions);
	if (j->nchange > 0)
		qsort(j->change, j->nchange, sizeof(*j->change), larger_first);
	find_renamed(j);
}
