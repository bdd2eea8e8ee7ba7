/* doubt.c - why one run a side says little. */
#include "diff/doubt.h"

#include <math.h>

/* Thresholds by judgement, not by measurement. */
#define MAX_JIT 0.2
#define MIN_SAMPLES 1000
#define MAX_KERNEL_RATIO 1.5
#define MIN_KERNEL 0.02

/* User functions: at least this share, and at most this much kernel. */
#define MIN_SHARE 0.01
#define MAX_KERNEL 0.1

/* Fewer functions than this are not "most functions". */
#define MIN_FUNCTIONS 5

/* Whether most user functions changed. */
static bool
has_changed_widely(const struct significance *sig)
{
	const struct sample_matrix *m = &sig->matrix;
	const double *total = sig->exposure.total;
	size_t i, all = 0, changed = 0;

	for (i = 0; i < sig->ntests; i++) {
		const struct test *t = &sig->test[i];
		double n = t->stats.x + t->stats.y;

		if (t->row < m->frames ||
		    n < MIN_SHARE * (total[BEFORE] + total[AFTER]) ||
		    sig->single.class.kernel[t->row] > MAX_KERNEL)
			continue;
		all++;
		changed += i < sig->nsignificant;
	}
	return all >= MIN_FUNCTIONS && 2 * changed > all;
}

const char *
doubt_reason(const struct significance *sig)
{
	const struct single_run *s = &sig->single;
	const double *kernel = s->class.kernel_share;
	double n[2];

	if (!sig->assumed || sig->untested != NULL)
		return NULL;
	sample_matrix_sum(&sig->matrix, 0, n);
	if (s->phases_differ)
		return "the phases of these runs do not match";
	if (s->class.jit_share > MAX_JIT)
		return "the tiers of JIT code differ from run to run";
	if (fmin(n[BEFORE], n[AFTER]) < MIN_SAMPLES)
		return "a side has less than 1000 samples";
	if (fmax(kernel[BEFORE], kernel[AFTER]) > MIN_KERNEL &&
	    fmax(kernel[BEFORE], kernel[AFTER]) >
		MAX_KERNEL_RATIO * fmin(kernel[BEFORE], kernel[AFTER]))
		return "the kernel's share differs, so the machine may have "
		       "been busier in one run";
	if (has_changed_widely(sig))
		return "most functions changed, so input, build or machine may "
		       "differ";
	return NULL;
}
