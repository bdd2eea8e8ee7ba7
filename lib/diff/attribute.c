/* attribute.c - finds the frames and functions that explain a difference. */
#include "diff/attribute.h"

#include "base/mem.h"
#include "diff/residual.h"
#include "diff/significance-internal.h"
#include "diff/stats.h"

#include <math.h>
#include <stdlib.h>

/* The normal deviate of 95 % confidence intervals. */
#define Z95 1.959964

/* Renames are looked for among this many new and gone frames. */
#define MAX_RENAMED 200

/*
 * A new frame may be a renamed one if their callees have at least this cosine
 * similarity and their counts differ with a p above this.
 */
#define MIN_SIMILARITY 0.8
#define MIN_RENAME_P 0.05

/* A change that has more of what others leave is their complement. */
#define COMPLEMENT 0.8

/* The variance of the logarithm of a Poisson count; with shares, a binomial. */
static double
log_variance(const struct significance *sig, double n, double share)
{
	return (sig->exposure.shares ? fmax(1 - share, 0) : 1) / n;
}

/* Set the ratio of rates and its confidence interval; folddiff(1). */
static void
set_ratio(const struct significance *sig, const struct test *t,
	  struct change *c)
{
	double rate = sig->exposure.total[BEFORE] / sig->exposure.total[AFTER];
	double x = c->x + 0.5, y = c->y + 0.5;
	double error = sqrt(t->phi * (log_variance(sig, x, c->share[BEFORE]) +
				      log_variance(sig, y, c->share[AFTER])));
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

/* Set all of a change that its test says. */
static struct change
measure(const struct significance *sig, const struct test *t)
{
	struct change c = { .row = t->row, .x = t->stats.x, .y = t->stats.y };

	c.t = t->t;
	c.p = t->p;
	c.share[BEFORE] = c.x / sig->exposure.total[BEFORE];
	c.share[AFTER] = c.y / sig->exposure.total[AFTER];
	c.class = class_of(&c, t->t);
	set_ratio(sig, t, &c);
	return c;
}

void
attribute_measure(struct significance *sig, uint32_t row, struct change *c)
{
	struct test t;

	sample_matrix_get(&sig->matrix, row, sig->scratch);
	t = significance_values(sig, row, sig->scratch);
	*c = measure(sig, &t);
}

/* Store the samples of a change, by run, from sig->scratch. */
static size_t
store_samples(struct significance *sig)
{
	size_t n = sig->matrix.comparison->n, at = sig->nsamples;

	sig->samples = mem_grow(sig->samples, &sig->samples_cap, at + n,
				sizeof(*sig->samples));
	memcpy(sig->samples + at, sig->scratch, n * sizeof(*sig->samples));
	sig->nsamples += n;
	return at;
}

/*
 * The false discovery rate of a test or its residual.  A residual is judged by
 * the p of the last significant test, so its rank is that test's.
 */
static double
discovery_rate(const struct significance *sig, const struct test *t,
	       const struct test *whole)
{
	return fmax(whole->q,
		    t->p * (double)sig->ntests / (double)sig->nsignificant);
}

/*
 * Add a change, whose samples are in sig->scratch.  False if its effect is too
 * small.
 */
static bool
add_change(struct significance *sig, const struct test *t,
	   const struct test *whole)
{
	struct change c = measure(sig, t);

	c.q = discovery_rate(sig, t, whole);
	if (fabs(c.ratio - 1) < sig->option.min_effect)
		return false;
	c.samples = store_samples(sig);
	sig->change = mem_grow(sig->change, &sig->change_cap, sig->nchange + 1,
			       sizeof(*sig->change));
	sig->change[sig->nchange++] = c;
	return true;
}

/*
 * Test the residual in sig->scratch.  True if it is significant with the sign
 * of the whole row: a change does not explain its opposite.
 */
static bool
is_residual_significant(const struct significance *sig,
			const struct test *whole, struct test *t)
{
	*t = significance_values(sig, whole->row, sig->scratch);
	return t->p <= sig->max_p &&
	       t->stats.x + t->stats.y >= significance_min_samples(sig) &&
	       t->t * whole->t > 0;
}

/* The significant tests of frames, or of functions, sorted. */
static const struct test **
sort_significant(const struct significance *sig, bool functions,
		 int (*order)(const void *, const void *), size_t *n)
{
	const struct test **list = mem_zero(sig->nsignificant, sizeof(*list));
	size_t i;

	*n = 0;
	for (i = 0; i < sig->nsignificant; i++) {
		if ((sig->test[i].row >= sig->matrix.frames) == functions)
			list[(*n)++] = &sig->test[i];
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
attribute_frames(struct significance *sig, struct residual *r)
{
	size_t i, n;
	const struct test **whole = sort_significant(sig, false, callees_first,
						     &n);
	struct test t;

	for (i = 0; i < n; i++) {
		residual_get(r, whole[i]->row, sig->scratch);
		t = *whole[i];
		if (residual_is_reduced(r, t.row) &&
		    !is_residual_significant(sig, whole[i], &t))
			continue;
		if (add_change(sig, &t, whole[i]))
			residual_explain(r, t.row);
	}
	free(whole);
}

/*
 * Whether a function is on one side only because all its callers are: then they
 * explain it.
 */
static bool
is_explained_by_callers(const struct significance *sig, const struct test *t)
{
	const struct sample_matrix *m = &sig->matrix;
	uint32_t i, up;
	const struct test *caller;

	if (t->stats.x > 0 && t->stats.y > 0)
		return false;
	for (i = m->outermost[t->row - m->frames]; i != 0;
	     i = m->next_outermost[i]) {
		up = m->comparison->trie.frame[i].parent;
		if (up == 0)
			return false;
		caller = significance_passes(sig,
					     m->frames + m->function_of[up]);
		if (caller == NULL || (t->stats.x > 0 ? caller->stats.y > 0 :
							caller->stats.x > 0))
			return false;
	}
	return true;
}

/*
 * Sum the residual of a function in sig->scratch.  True if some of its samples
 * are explained.
 */
static bool
sum_residual(struct significance *sig, const struct residual *r, uint32_t f)
{
	const struct sample_matrix *m = &sig->matrix;
	size_t k, runs = m->comparison->n;
	double *v = mem_zero(runs, sizeof(*v));
	bool reduced = false;
	uint32_t i;

	memset(sig->scratch, 0, runs * sizeof(*sig->scratch));
	for (i = m->outermost[f]; i != 0; i = m->next_outermost[i]) {
		if (residual_is_explained(r, i)) {
			reduced = true;
			continue;
		}
		reduced |= residual_is_reduced(r, i);
		residual_get(r, i, v);
		for (k = 0; k < runs; k++)
			sig->scratch[k] += v[k];
	}
	free(v);
	return reduced;
}

static int
rarer_first(const void *a, const void *b)
{
	const struct test *x = *(const struct test *const *)a;
	const struct test *y = *(const struct test *const *)b;
	double n = x->stats.x + x->stats.y, m = y->stats.x + y->stats.y;

	if (n != m)
		return n < m ? -1 : 1;
	/* If they are equal, the callee first. */
	return callees_first(a, b);
}

static void
attribute_functions(struct significance *sig, struct residual *r)
{
	const struct sample_matrix *m = &sig->matrix;
	size_t i, n;
	const struct test **whole = sort_significant(sig, true, rarer_first,
						     &n);
	struct test t;
	uint32_t f, frame;

	for (i = 0; i < n; i++) {
		f = whole[i]->row - m->frames;
		t = *whole[i];
		if (is_explained_by_callers(sig, whole[i]) ||
		    (sum_residual(sig, r, f) &&
		     !is_residual_significant(sig, whole[i], &t)) ||
		    !add_change(sig, &t, whole[i]))
			continue;
		for (frame = m->outermost[f]; frame != 0;
		     frame = m->next_outermost[frame]) {
			if (!residual_is_explained(r, frame))
				residual_explain(r, frame);
		}
	}
	free(whole);
}

static int
stronger_first(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	double t = fabs(x->t), u = fabs(y->t);

	if (fabs(t - u) > 1e-9 * t)
		return t > u ? -1 : 1;
	/* Two changes that make up the total have equal t: the one that grew.
	 */
	if ((x->t > 0) != (y->t > 0))
		return x->t > 0 ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/*
 * Whether a change has nearly all samples that the stronger changes, which have
 * less[run] samples, leave.  Then its share of the rest is constant, and shares
 * do not show which of them changed.
 */
static bool
is_complement(const struct significance *sig, const struct change *c,
	      const double *less)
{
	const struct comparison *all = sig->matrix.comparison;
	double rest[2] = { sig->exposure.total[BEFORE],
			   sig->exposure.total[AFTER] };
	size_t k;

	for (k = 0; k < all->n; k++)
		rest[all->run[k].side] -= less[k];
	return c->x > COMPLEMENT * rest[BEFORE] && c->x <= rest[BEFORE] &&
	       c->y > COMPLEMENT * rest[AFTER] && c->y <= rest[AFTER];
}

/*
 * If the share of one function grows, the shares of all others shrink.  So go
 * through the changes from index first on, strongest first, and keep those that
 * are still significant without the samples of the stronger changes.
 */
static void
drop_displaced(struct significance *sig, size_t first)
{
	struct change *c = first == 0 ? sig->change : sig->change + first;
	size_t i, k, runs = sig->matrix.comparison->n, n = sig->nchange - first,
		     kept = 0;
	double *less = mem_zero(runs, sizeof(*less));
	struct test t;

	if (n > 0)
		qsort(c, n, sizeof(*c), stronger_first);
	for (i = 0; i < n && sig->exposure.shares; i++) {
		const double *v = sig->samples + c[i].samples;

		t = significance_stats(
		    sig, c[i].row,
		    sample_matrix_stats_without(&sig->matrix, v, less));
		if ((t.p > sig->max_p || t.t * c[i].t <= 0) &&
		    !(sig->assumed && is_complement(sig, &c[i], less)))
			continue;
		for (k = 0; k < runs; k++)
			less[k] += v[k];
		c[kept++] = c[i];
	}
	if (sig->exposure.shares)
		sig->nchange = first + kept;
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

static bool
is_frame(const struct significance *sig, const struct change *c)
{
	return c->row < sig->matrix.frames;
}

static bool
is_more(const struct change *c)
{
	return c->class == CHANGE_UP || c->class == CHANGE_NEW;
}

/*
 * A function moved if its total is unchanged but frames of it have more in one
 * place and less in another.  more and less record that, by function.  A frame
 * that is new, while the function's total is unchanged, was elsewhere before.
 */
static void
find_moved(struct significance *sig)
{
	const struct sample_matrix *m = &sig->matrix;
	bool *more = mem_zero(m->functions, sizeof(*more));
	bool *less = mem_zero(m->functions, sizeof(*less));
	size_t i;
	uint32_t f;

	for (i = 0; i < sig->nchange; i++) {
		if (!is_frame(sig, &sig->change[i]))
			continue;
		f = m->function_of[sig->change[i].row];
		*(is_more(&sig->change[i]) ? &more[f] : &less[f]) = true;
	}
	for (i = 0; i < sig->nchange; i++) {
		if (!is_frame(sig, &sig->change[i]))
			continue;
		f = m->function_of[sig->change[i].row];
		if (((more[f] && less[f]) ||
		     sig->change[i].class == CHANGE_NEW ||
		     sig->change[i].class == CHANGE_GONE) &&
		    significance_passes(sig, m->frames + f) == NULL)
			sig->change[i].class = CHANGE_MOVED;
	}
	free(more);
	free(less);
}

/*
 * Whether a frame has nearly all samples of both sides.  Then its share is
 * constant, whatever happens below it.
 */
static bool
has_nearly_all(const struct significance *sig, uint32_t frame)
{
	double n[2];

	sample_matrix_sum(&sig->matrix, frame, n);
	return sig->exposure.shares &&
	       n[BEFORE] > 0.9 * sig->exposure.total[BEFORE] &&
	       n[AFTER] > 0.9 * sig->exposure.total[AFTER];
}

/*
 * A new or gone frame moved out of or into its caller, as inlining does, if the
 * caller is unchanged with it and changed without it.
 */
static void
find_inlined(struct significance *sig, const struct residual *r)
{
	const struct trie_frame *frame = sig->matrix.comparison->trie.frame;
	struct test t;
	uint32_t up;
	size_t i;

	for (i = 0; i < sig->nchange; i++) {
		struct change *c = &sig->change[i];

		if (!is_frame(sig, c) ||
		    (c->class != CHANGE_NEW && c->class != CHANGE_GONE))
			continue;
		up = frame[c->row].parent;
		if (up == 0 || significance_passes(sig, up) != NULL ||
		    has_nearly_all(sig, up))
			continue;
		residual_get(r, up, sig->scratch);
		t = significance_values(sig, up, sig->scratch);
		if (t.p <= sig->max_p && (t.t > 0) == (c->class == CHANGE_GONE))
			c->class = CHANGE_MOVED;
	}
}

/* Samples of a row on one side. */
static double
side_samples(const struct sample_matrix *m, uint32_t row, enum side side)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < m->comparison->n; i++)
		sum += m->comparison->run[i].side == side ? m->column[i][row] :
							    0;
	return sum;
}

/*
 * The cosine similarity of two frames, one before and one after.  Each is a
 * vector of its own samples and the samples of each callee.  child is all zero,
 * by function; meanwhile it has the new frame's first callee that is the
 * function.
 */
static double
similarity(const struct sample_matrix *m, uint32_t gone, uint32_t new,
	   uint32_t *child)
{
	const struct trie_frame *frame = m->comparison->trie.frame;
	double own_x = side_samples(m, gone, BEFORE),
	       own_y = side_samples(m, new, AFTER);
	double xx = 0, yy = 0, xy = 0, x, y;
	uint32_t c, twin;

	for (c = frame[new].child; c != 0; c = frame[c].next) {
		y = side_samples(m, c, AFTER);
		own_y -= y;
		yy += y * y;
		if (child[m->function_of[c]] == 0)
			child[m->function_of[c]] = c;
	}
	for (c = frame[gone].child; c != 0; c = frame[c].next) {
		x = side_samples(m, c, BEFORE);
		twin = child[m->function_of[c]];
		y = twin == 0 ? 0 : side_samples(m, twin, AFTER);
		own_x -= x;
		xx += x * x;
		xy += x * y;
	}
	for (c = frame[new].child; c != 0; c = frame[c].next)
		child[m->function_of[c]] = 0;
	xx += own_x * own_x;
	yy += own_y * own_y;
	xy += own_x * own_y;
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Whether new may be gone under a new name; child as above. */
static bool
may_be_renamed(struct significance *sig, const struct change *gone,
	       const struct change *new, uint32_t *child)
{
	const struct sample_matrix *m = &sig->matrix;
	const struct trie_frame *frame = m->comparison->trie.frame;
	size_t i;

	if (frame[gone->row].parent != frame[new->row].parent)
		return false;
	for (i = 0; i < m->comparison->n; i++)
		sig->scratch[i] =
		    m->column[i][m->comparison->run[i].side == BEFORE ?
				     gone->row :
				     new->row];
	return significance_values(sig, new->row, sig->scratch).p >
		   MIN_RENAME_P &&
	       similarity(m, gone->row, new->row, child) >= MIN_SIMILARITY;
}

/* Collect the first changes of frames that are of one class. */
static size_t
collect_class(struct significance *sig, enum change_class class,
	      struct change **list)
{
	size_t i, n = 0;

	for (i = 0; i < sig->nchange && n < MAX_RENAMED; i++) {
		if (is_frame(sig, &sig->change[i]) &&
		    sig->change[i].class == class)
			list[n++] = &sig->change[i];
	}
	return n;
}

/* The functions of renamed frames are renamed too. */
static void
rename_functions(struct significance *sig, const struct change *gone,
		 const struct change *new)
{
	const struct sample_matrix *m = &sig->matrix;
	uint32_t a = m->frames + m->function_of[gone->row];
	uint32_t b = m->frames + m->function_of[new->row];
	size_t i;

	for (i = 0; i < sig->nchange; i++) {
		struct change *c = &sig->change[i];

		if (c->row == a && c->class == CHANGE_GONE)
			c->partner = b;
		if (c->row == b && c->class == CHANGE_NEW)
			c->partner = a;
	}
}

static void
find_renamed(struct significance *sig)
{
	uint32_t *child = mem_zero(sig->matrix.functions, sizeof(*child));
	struct change *gone[MAX_RENAMED], *new[MAX_RENAMED];
	size_t ngone = collect_class(sig, CHANGE_GONE, gone), i;
	size_t nnew = collect_class(sig, CHANGE_NEW, new), k;

	for (i = 0; i < ngone; i++) {
		for (k = 0; k < nnew && gone[i]->partner == 0; k++) {
			if (new[k]->partner != 0 ||
			    !may_be_renamed(sig, gone[i], new[k], child))
				continue;
			gone[i]->partner = new[k]->row;
			new[k]->partner = gone[i]->row;
			rename_functions(sig, gone[i], new[k]);
		}
	}
	free(child);
}

void
attribute_changes(struct significance *sig)
{
	struct residual frames, functions;
	size_t i, n;

	if (sig->nsignificant == 0)
		return;
	residual_init(&frames, &sig->matrix);
	attribute_frames(sig, &frames);
	drop_displaced(sig, 0);
	find_moved(sig);
	find_inlined(sig, &frames);
	residual_free(&frames);
	residual_init(&functions, &sig->matrix);
	/* Samples that only moved are no change of their function. */
	for (i = 0; i < sig->nchange; i++) {
		if (sig->change[i].class == CHANGE_MOVED)
			residual_explain(&functions, sig->change[i].row);
	}
	n = sig->nchange;
	attribute_functions(sig, &functions);
	drop_displaced(sig, n);
	residual_free(&functions);
	if (sig->nchange > 0)
		qsort(sig->change, sig->nchange, sizeof(*sig->change),
		      larger_first);
	find_renamed(sig);
}
