/* single_run.c - the dispersion to assume with one run a side. */
#include "diff/single_run.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/*
 * A variance of this much more than chance is assumed of every row, beside its
 * spread.
 */
#define BASE 1

/* If aligned blocks differ by more than this, the runs' phases do not match. */
#define MAX_PHASES 4

/* Rows by which phases are judged: user code with these shares. */
#define MAX_KERNEL 0.1
#define MIN_SHARE 0.01
#define MAX_SHARE 0.8

void
single_run_init(struct single_run *s, const struct sample_matrix *m)
{
	*s = (struct single_run){ .typical = 1 };
	row_class_init(&s->class, m);
	s->user = s->class.has_kernel ? SINGLE_RUN_USER : SINGLE_RUN_MIXED;
}

static double
share_of(const struct sample_matrix *m, double x, double y)
{
	const double *total = m->exposure->total;

	return m->exposure->shares ?
		   fmin((x + y) / (total[BEFORE] + total[AFTER]), 1) :
		   0;
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
single_run_measure(struct single_run *s, const struct sample_matrix *m,
		   const uint32_t *row, size_t n)
{
	double *list, sum[2], share;
	size_t i, k = 0;

	if (!block_variance_measure(&s->blocks, m))
		return;
	list = mem_zero(n, sizeof(*list));
	for (i = 0; i < n; i++) {
		sample_matrix_sum(m, row[i], sum);
		share = share_of(m, sum[BEFORE], sum[AFTER]);
		if (s->class.kernel[row[i]] < MAX_KERNEL && share > MIN_SHARE &&
		    share < MAX_SHARE)
			list[k++] = s->blocks.aligned[row[i]];
	}
	if (k > 0) {
		qsort(list, k, sizeof(*list), by_size);
		s->phases = list[k * 3 / 4];
		s->typical = fmax(1, list[k / 2]);
	}
	s->phases_differ = s->phases > MAX_PHASES;
	free(list);
}

/* The dispersion from 1 on: within the runs, and of a spread between them. */
static double
dispersion(const struct sample_matrix *m, double within, double spread2,
	   double x, double y)
{
	return fmax(1, within) + BASE +
	       (x + y) / 2 * (1 - share_of(m, x, y)) * spread2;
}

double
single_run_phi(const struct single_run *s, const struct sample_matrix *m,
	       uint32_t row, double x, double y)
{
	double k = s->class.kernel[row], within = 1, spread2;

	if (s->blocks.measured)
		within = s->blocks.aligned[row];
	if (s->blocks.measured && s->phases_differ)
		within = fmax(within, s->blocks.within[row]);
	spread2 = pow(s->user * (1 - k), 2) + pow(SINGLE_RUN_KERNEL * k, 2);
	if (s->class.jit[row])
		spread2 = pow(SINGLE_RUN_JIT, 2);
	return dispersion(m, within, spread2, x, y);
}

double
single_run_typical_phi(const struct single_run *s,
		       const struct sample_matrix *m, double x, double y)
{
	return dispersion(m, s->typical, s->user * s->user, x, y);
}

void
single_run_free(struct single_run *s)
{
	row_class_free(&s->class);
	block_variance_free(&s->blocks);
}
