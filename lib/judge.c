/* judge.c - which frames and functions changed, beyond noise. */
#include "judge.h"

#include "blame.h"
#include "mem.h"
#include "robust.h"
#include "stats.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

/* What has fewer samples cannot be tested with these formulas. */
#define LEAST 10

/* Fewer in a run say little of how runs differ. */
#define LEAST_MEAN 5

/* Fewer pairs of blocks do not show how they differ. */
#define FEWEST_PAIRS 3

double
judge_phi(const struct judge *j, const struct spread *runs,
	  const struct spread *blocks, double *df)
{
	double phi = dispersion_of(&j->dispersion, runs, df), bound, bound_df;

	if (!j->bounded)
		return phi;
	bound = dispersion_of(&j->bound, blocks, &bound_df);
	if (bound <= phi)
		return phi;
	*df = bound_df;
	return bound;
}

struct test
judge_trial(const struct judge *j, uint32_t row, struct trial trial)
{
	struct test t = { .row = row, .trial = trial };
	struct spread runs = { trial.mean, trial.phi, trial.df, trial.wanted };
	struct spread blocks = { 0 };

	if (j->bounded)
		blocks = blocks_get(&j->blocks, row);
	t.phi = judge_phi(j, &runs, &blocks, &t.df);
	t.t = trial.root / sqrt(t.phi);
	/* So many samples that differ so are worth as few that do not. */
	t.p = trial.x + trial.y < LEAST * t.phi ? 1 : stats_p(t.t, t.df);
	return t;
}

struct test
judge_values(const struct judge *j, uint32_t row, const double *v)
{
	return judge_trial(j, row, rows_try(&j->rows, v));
}

const struct test *
judge_significant(const struct judge *j, uint32_t row)
{
	size_t place = j->test_of[row];

	return place == 0 || place > j->significant ? NULL :
						      &j->test[place - 1];
}

/* Whether two sums of the same numbers, in whatever order, are equal. */
static bool
is_same(double a, double b)
{
	return fabs(a - b) < 1e-9 * a;
}

/*
 * Whether a frame with so many samples is worth a test of its own.  Where only
 * one side has any, the first such frame stands for all below it; else, of
 * frames of which each calls only the next, the last one stands for all.
 */
static bool
is_candidate(const struct rows *r, uint32_t i, const double n[2])
{
	const struct trie_frame *f = r->sides->trie.frame;
	double other[2];
	uint32_t c;

	if (n[BEFORE] <= 0 || n[AFTER] <= 0) {
		rows_sum(r, f[i].parent, other);
		return other[n[BEFORE] <= 0 ? BEFORE : AFTER] > 0;
	}
	for (c = f[i].child; c != 0; c = f[c].next) {
		rows_sum(r, c, other);
		if (is_same(n[BEFORE], other[BEFORE]) &&
		    is_same(n[AFTER], other[AFTER]))
			return false;
	}
	return true;
}

static void
add_test(struct judge *j, uint32_t row)
{
	j->test = mem_grow(j->test, &j->cap, j->n + 1, sizeof(*j->test));
	rows_get(&j->rows, row, j->scratch);
	j->test[j->n++] = (struct test){
		.row = row, .trial = rows_try(&j->rows, j->scratch)
	};
}

/* The frames and functions to be tested, not yet with a result. */
static void
choose(struct judge *j)
{
	const struct rows *r = &j->rows;
	double least = j->option.min_share, n[2], total[2];
	uint32_t row;

	j->n = 0;
	rows_sum(r, 0, total);
	for (row = 1; row < r->n; row++) {
		rows_sum(r, row, n);
		if (n[BEFORE] + n[AFTER] < LEAST ||
		    (n[BEFORE] < least * total[BEFORE] &&
		     n[AFTER] < least * total[AFTER]))
			continue;
		if (row >= r->frames || is_candidate(r, row, n))
			add_test(j, row);
	}
}

/* How the runs of frames differ, where all of them say so. */
static struct spread *
spreads(const struct judge *j, double least, size_t *n)
{
	struct spread *s = mem_zero(j->n, sizeof(*s));
	double df = 0;
	size_t i;

	for (i = 0; i < j->n; i++)
		df = fmax(df, j->test[i].trial.df);
	*n = 0;
	for (i = 0; i < j->n; i++) {
		const struct trial *t = &j->test[i].trial;

		if (j->test[i].row < j->rows.frames && t->df == df &&
		    t->mean >= least)
			s[(*n)++] = (struct spread){ t->mean, t->phi, t->df,
						     t->wanted };
	}
	return s;
}

static int
by_phi(const void *a, const void *b)
{
	const struct spread *x = a, *y = b;

	return (x->phi > y->phi) - (x->phi < y->phi);
}

/*
 * Where it is not known what a sample weighs, let it be so much that runs
 * differ by chance: only the test's thresholds of ten samples depend on it.
 */
static void
make_up_quantum(struct judge *j)
{
	struct exposure *e = &j->exposure;
	struct spread *s;
	double phi, total[2];
	size_t i, n;

	rows_sum(&j->rows, 0, total);
	s = spreads(j, 0.002 * total[BEFORE] / (double)j->rows.sides->n, &n);
	qsort(s, n, sizeof(*s), by_phi);
	phi = n > 0 && s[n / 2].phi > 0 ? s[n / 2].phi : 1;
	free(s);
	for (i = 0; i < j->rows.sides->n; i++) {
		e->quantum[i] *= phi;
		e->e[i] /= phi;
	}
	e->total[BEFORE] /= phi;
	e->total[AFTER] /= phi;
}

/* Let runs differ by no less than blocks of each, if these have times. */
static void
find_bound(struct judge *j)
{
	struct spread *s, one;
	size_t i, n = 0;

	blocks_measure(&j->blocks, &j->rows);
	if (j->blocks.pairs < FEWEST_PAIRS)
		return;
	s = mem_zero(j->n, sizeof(*s));
	for (i = 0; i < j->n; i++) {
		one = blocks_get(&j->blocks, j->test[i].row);
		if (j->test[i].row < j->rows.frames &&
		    one.df == (double)j->blocks.pairs && one.mean >= LEAST_MEAN)
			s[n++] = one;
	}
	j->bound = dispersion_fit(s, n, 1);
	j->bounded = true;
	free(s);
}

static void
set_dispersion(struct judge *j)
{
	struct spread *s;
	size_t n;

	if (j->option.phi > 0) {
		j->dispersion = (struct dispersion){ .base = j->option.phi,
						     .prior = HUGE_VAL };
	} else if (!j->replicates) {
		j->dispersion = dispersion_default();
		find_bound(j);
	} else {
		s = spreads(j, LEAST_MEAN, &n);
		j->dispersion = dispersion_fit(s, n,
					       j->exposure.unknown ? 0.5 : 1);
		free(s);
	}
}

static int
by_p(const void *a, const void *b)
{
	const struct test *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Test all that was chosen, and note which of them are significant. */
static void
test_all(struct judge *j)
{
	double *q = mem_zero(j->n, sizeof(*q));
	size_t i;

	for (i = 0; i < j->n; i++)
		j->test[i] = judge_trial(j, j->test[i].row, j->test[i].trial);
	if (j->n > 0)
		qsort(j->test, j->n, sizeof(*j->test), by_p);
	for (i = 0; i < j->n; i++)
		q[i] = j->test[i].p;
	stats_fdr(q, j->n);
	j->test_of = mem_zero(j->rows.n, sizeof(*j->test_of));
	for (i = 0; i < j->n; i++) {
		j->test[i].q = q[i];
		j->test_of[j->test[i].row] = (uint32_t)i + 1;
		if (q[i] <= j->option.fdr)
			j->significant = i + 1;
	}
	/* Where Benjamini and Hochberg draw the line. */
	if (j->n > 0)
		j->limit = j->option.fdr * (double)j->significant /
			   (double)j->n;
	free(q);
}

/* Find out how many samples there are, and why they cannot be tested. */
static bool
expose(struct judge *j, const struct sides *s)
{
	const char *reason = exposure_find(&j->exposure, s, &j->option.norm);
	size_t i, runs[2] = { 0, 0 };
	bool any = false;

	for (i = 0; i < s->n; i++) {
		runs[s->run[i].side]++;
		any |= s->run[i].total > 0;
	}
	j->replicates = runs[BEFORE] > 1 || runs[AFTER] > 1;
	if (reason != NULL && !any)
		reason = "there are no samples";
	j->untested = reason;
	if (reason == NULL && j->exposure.varies && !j->replicates &&
	    (j->option.phi == 0 || j->exposure.unknown))
		j->untested = "the weights of samples vary, and one run a "
			      "side does not show how much runs differ";
	return j->untested == NULL;
}

void
judge(struct judge *j, const struct sides *s, const struct judge_option *o)
{
	*j = (struct judge){ .option = *o };
	if (!expose(j, s))
		return;
	j->scratch = mem_zero(s->n, sizeof(*j->scratch));
	rows_init(&j->rows, s, &j->exposure);
	if (j->exposure.unknown) {
		choose(j);
		make_up_quantum(j);
		rows_free(&j->rows);
		rows_init(&j->rows, s, &j->exposure);
	}
	j->robust = robust_ratio(&j->rows, &j->robust_error);
	if (o->norm.norm == NORM_ROBUST && j->robust > 0)
		exposure_set_ratio(&j->exposure, s, j->robust);
	choose(j);
	set_dispersion(j);
	test_all(j);
	blame(j);
}

void
judge_free(struct judge *j)
{
	exposure_free(&j->exposure);
	if (j->rows.sides != NULL)
		rows_free(&j->rows);
	free(j->test);
	free(j->test_of);
	free(j->scratch);
	free(j->change);
	free(j->value);
	blocks_free(&j->blocks);
}
