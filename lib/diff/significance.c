/* significance.c - tests which frames and functions changed. */
#include "diff/significance.h"

#include "base/mem.h"
#include "diff/attribute.h"
#include "diff/largest.h"
#include "diff/significance-internal.h"
#include "diff/size_factor.h"
#include "diff/stats.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

/* Samples that the test's formulas need. */
#define MIN_SAMPLES 10

/* Samples per run that are needed to estimate dispersion. */
#define MIN_MEAN 5

/* The dispersion of a row, or of a part of it, with these statistics. */
static double
find_phi(const struct significance *sig, uint32_t row,
	 const struct row_stats *stats, double *df)
{
	struct dispersion_estimate runs = { stats->mean, stats->phi, stats->df,
					    stats->target };

	*df = HUGE_VAL;
	if (sig->assumed)
		return single_run_phi(&sig->single, &sig->matrix, row, stats->x,
				      stats->y);
	return dispersion_of(&sig->dispersion, &runs, df);
}

double
significance_min_samples(const struct significance *sig)
{
	return sig->assumed ? SINGLE_RUN_SAMPLES : MIN_SAMPLES;
}

struct test
significance_stats(const struct significance *sig, uint32_t row,
		   struct row_stats stats)
{
	struct test t = { .row = row, .stats = stats };
	double n = stats.x + stats.y;

	t.phi = find_phi(sig, row, &stats, &t.df);
	t.t = stats.root_g / sqrt(t.phi);
	/* Dispersion phi reduces the effective number of samples. */
	t.p = !sig->assumed && n < MIN_SAMPLES * t.phi ? 1 : stats_p(t.t, t.df);
	return t;
}

struct test
significance_values(const struct significance *sig, uint32_t row,
		    const double *v)
{
	return significance_stats(sig, row,
				  sample_matrix_stats(&sig->matrix, v));
}

const struct test *
significance_passes(const struct significance *sig, uint32_t row)
{
	size_t place = sig->test_of[row];

	return place == 0 || place > sig->nsignificant ? NULL :
							 &sig->test[place - 1];
}

/* Whether two sums are equal but for rounding. */
static bool
is_same(double a, double b)
{
	return fabs(a - b) < 1e-9 * a;
}

/*
 * Whether frame i, which has n samples by side, needs a test of its own.  If
 * only one side has the frame, the outermost such frame stands for all below
 * it.  In a chain of frames with equal samples, the last one stands for all.
 */
static bool
is_candidate(const struct sample_matrix *m, uint32_t i, const double n[2])
{
	const struct trie_frame *f = m->comparison->trie.frame;
	double other[2];
	uint32_t c;

	if (n[BEFORE] <= 0 || n[AFTER] <= 0) {
		sample_matrix_sum(m, f[i].parent, other);
		return other[n[BEFORE] <= 0 ? BEFORE : AFTER] > 0;
	}
	for (c = f[i].child; c != 0; c = f[c].next) {
		sample_matrix_sum(m, c, other);
		if (is_same(n[BEFORE], other[BEFORE]) &&
		    is_same(n[AFTER], other[AFTER]))
			return false;
	}
	return true;
}

static void
add_test(struct significance *sig, uint32_t row)
{
	sig->test = mem_grow(sig->test, &sig->tests_cap, sig->ntests + 1,
			     sizeof(*sig->test));
	sample_matrix_get(&sig->matrix, row, sig->scratch);
	sig->test[sig->ntests++] = (struct test){
		.row = row,
		.stats = sample_matrix_stats(&sig->matrix, sig->scratch)
	};
}

/* Whether a row has too few samples to be tested, or too few are not in it. */
static bool
is_small(const struct significance *sig, const double n[2],
	 const double total[2])
{
	double sum = n[BEFORE] + n[AFTER], least = sig->option.min_share;

	if (sum < significance_min_samples(sig))
		return true;
	if (sig->assumed && sig->exposure.shares &&
	    total[BEFORE] + total[AFTER] - sum < SINGLE_RUN_SAMPLES)
		return true;
	return n[BEFORE] < least * total[BEFORE] &&
	       n[AFTER] < least * total[AFTER];
}

/* Choose the frames and functions to test. */
static void
choose_rows(struct significance *sig)
{
	const struct sample_matrix *m = &sig->matrix;
	double n[2], total[2];
	uint32_t row;

	sig->ntests = 0;
	sample_matrix_sum(m, 0, total);
	for (row = 1; row < m->rows; row++) {
		sample_matrix_sum(m, row, n);
		if (is_small(sig, n, total) ||
		    (sig->assumed && sig->single.class.interrupt[row]))
			continue;
		if (row >= m->frames || is_candidate(m, row, n))
			add_test(sig, row);
	}
}

/* The dispersion of all frames that have every degree of freedom. */
static struct dispersion_estimate *
frame_estimates(const struct significance *sig, double least, size_t *n)
{
	struct dispersion_estimate *est = mem_zero(sig->ntests, sizeof(*est));
	double df = 0;
	size_t i;

	for (i = 0; i < sig->ntests; i++)
		df = fmax(df, sig->test[i].stats.df);
	*n = 0;
	for (i = 0; i < sig->ntests; i++) {
		const struct row_stats *t = &sig->test[i].stats;

		if (sig->test[i].row < sig->matrix.frames && t->df == df &&
		    t->mean >= least)
			est[(*n)++] = (struct dispersion_estimate){
				t->mean, t->phi, t->df, t->target
			};
	}
	return est;
}

static int
by_phi(const void *a, const void *b)
{
	const struct dispersion_estimate *x = a, *y = b;

	return (x->phi > y->phi) - (x->phi < y->phi);
}

/*
 * The count per sample is unknown: guess it so that the median dispersion is 1.
 * Only the minimum number of samples for a test depends on the guess.
 */
static void
guess_quantum(struct significance *sig)
{
	struct exposure *e = &sig->exposure;
	struct dispersion_estimate *est;
	double phi, total[2];
	size_t i, n;

	sample_matrix_sum(&sig->matrix, 0, total);
	est = frame_estimates(
	    sig, 0.002 * total[BEFORE] / (double)sig->matrix.comparison->n, &n);
	qsort(est, n, sizeof(*est), by_phi);
	phi = n > 0 && est[n / 2].phi > 0 ? est[n / 2].phi : 1;
	free(est);
	for (i = 0; i < sig->matrix.comparison->n; i++) {
		e->quantum[i] *= phi;
		e->value[i] /= phi;
	}
	e->total[BEFORE] /= phi;
	e->total[AFTER] /= phi;
}

/* Measure the blocks of single runs; the rows to test are chosen. */
static void
measure_blocks(struct significance *sig)
{
	uint32_t *row = mem_zero(sig->ntests, sizeof(*row));
	size_t i;

	for (i = 0; i < sig->ntests; i++)
		row[i] = sig->test[i].row;
	single_run_measure(&sig->single, &sig->matrix, row, sig->ntests);
	free(row);
}

static void
set_dispersion(struct significance *sig)
{
	struct dispersion_estimate *est;
	size_t n;

	if (sig->option.phi > 0) {
		sig->dispersion = (struct dispersion){ .base = sig->option.phi,
						       .prior_df = HUGE_VAL };
	} else if (sig->assumed) {
		measure_blocks(sig);
	} else {
		est = frame_estimates(sig, MIN_MEAN, &n);
		sig->dispersion = dispersion_fit(
		    est, n, sig->exposure.quantum_unknown ? 0.5 : 1);
		free(est);
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

/* Test the chosen rows and find the significant ones. */
static void
test_all(struct significance *sig)
{
	double *q = mem_zero(sig->ntests, sizeof(*q));
	size_t i;

	for (i = 0; i < sig->ntests; i++)
		sig->test[i] = significance_stats(sig, sig->test[i].row,
						  sig->test[i].stats);
	if (sig->ntests > 0)
		qsort(sig->test, sig->ntests, sizeof(*sig->test), by_p);
	for (i = 0; i < sig->ntests; i++)
		q[i] = sig->test[i].p;
	stats_fdr(q, sig->ntests);
	sig->test_of = mem_zero(sig->matrix.rows, sizeof(*sig->test_of));
	for (i = 0; i < sig->ntests; i++) {
		sig->test[i].q = q[i];
		sig->test_of[sig->test[i].row] = (uint32_t)i + 1;
		if (q[i] <= sig->option.fdr)
			sig->nsignificant = i + 1;
	}
	/* The threshold of Benjamini and Hochberg. */
	if (sig->ntests > 0)
		sig->max_p = sig->option.fdr * (double)sig->nsignificant /
			     (double)sig->ntests;
	free(q);
}

/* Why nothing can be tested, or NULL. */
static const char *
find_reason(const struct significance *sig)
{
	const struct exposure *e = &sig->exposure;

	if (e->weights_vary && !sig->replicates &&
	    (sig->option.phi == 0 || e->quantum_unknown))
		return "the weights of samples vary, and one run per side does "
		       "not show how much runs differ";
	return NULL;
}

/* Compute the exposures.  False if there is nothing to compare. */
static bool
init_exposure(struct significance *sig, const struct comparison *c)
{
	size_t i, runs[2] = { 0, 0 };
	bool any = false;

	sig->untested = exposure_init(&sig->exposure, c, &sig->option.norm);
	for (i = 0; i < c->n; i++) {
		runs[c->run[i].side]++;
		any |= c->run[i].total > 0;
	}
	sig->replicates = runs[BEFORE] > 1 || runs[AFTER] > 1;
	sig->assumed = !sig->replicates && sig->option.phi == 0;
	if (sig->untested != NULL && !any)
		sig->untested = "there are no samples";
	return sig->untested == NULL;
}

/* Build the matrix, with a guess of the count per sample if it is unknown. */
static void
init_matrix(struct significance *sig, const struct comparison *c)
{
	sample_matrix_init(&sig->matrix, c, &sig->exposure);
	if (!sig->exposure.quantum_unknown || !sig->replicates)
		return;
	choose_rows(sig);
	guess_quantum(sig);
	sample_matrix_free(&sig->matrix);
	sample_matrix_init(&sig->matrix, c, &sig->exposure);
}

void
significance_test(struct significance *sig, const struct comparison *c,
		  const struct significance_option *o)
{
	*sig = (struct significance){ .option = *o };
	if (!init_exposure(sig, c))
		return;
	sig->scratch = mem_zero(c->n, sizeof(*sig->scratch));
	init_matrix(sig, c);
	sig->size_factor = size_factor_ratio(&sig->matrix,
					     &sig->size_factor_error);
	if (o->norm.norm == NORM_ROBUST && sig->size_factor > 0)
		exposure_set_ratio(&sig->exposure, c, sig->size_factor);
	if (sig->assumed)
		single_run_init(&sig->single, &sig->matrix);
	sig->untested = find_reason(sig);
	if (sig->untested == NULL) {
		choose_rows(sig);
		set_dispersion(sig);
		test_all(sig);
		attribute_changes(sig);
	}
	if (sig->assumed)
		largest_find(sig);
}

void
significance_free(struct significance *sig)
{
	exposure_free(&sig->exposure);
	if (sig->matrix.comparison != NULL)
		sample_matrix_free(&sig->matrix);
	free(sig->test);
	free(sig->test_of);
	free(sig->scratch);
	free(sig->change);
	free(sig->largest);
	free(sig->samples);
	single_run_free(&sig->single);
}
