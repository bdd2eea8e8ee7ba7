/* exposure.c - the exposure of each run: how much it could have sampled. */
#include "diff/exposure.h"

#include "base/mem.h"
#include "folded/measure.h"

#include <err.h>
#include <stdlib.h>

bool
exposure_parse_norm(const char *s, struct norm_option *o)
{
	static const char *const word[] = { "total", "none", "robust" };
	struct str right = str_of(s), left = str_cut(&right, ':');
	struct count n[2];
	int i;

	for (i = 0; i < 3; i++) {
		if (strcmp(s, word[i]) == 0) {
			o->norm = (enum norm)i;
			return true;
		}
	}
	if (count_parse(left, &n[BEFORE]) == COUNT_OK) {
		o->norm = NORM_GIVEN;
		if (count_parse(right, &n[AFTER]) != COUNT_OK)
			return false;
		o->given[BEFORE] = count_double(n[BEFORE]);
		o->given[AFTER] = count_double(n[AFTER]);
		return o->given[BEFORE] > 0 && o->given[AFTER] > 0;
	}
	o->norm = NORM_KEY;
	o->key = s;
	return *s != '\0' && strpbrk(s, "=;# \t\r\n") == NULL;
}

/* The weights of samples vary a little where cycles are sampled at a frequency.
 */
#define MAX_UNEVENNESS 1.5

/*
 * Whether counts with the greatest common divisor q look like samples of q
 * each.  In a large profile of samples, many stacks were hit only a few times.
 * Bytes, cycles and waiting times have all sizes.
 */
static bool
looks_sampled(const struct replicate *run, double q)
{
	size_t i, few = 0;

	for (i = 0; i < run->n; i++)
		few += run->weight[i].n <= 3.5 * q;
	return run->total <= 1e5 * q || few * 100 >= run->n;
}

/*
 * Whether the greatest common divisor of the counts is what a sample adds: the
 * period of a clock, of at most 100 kHz.  Smaller divisors are chance.
 */
static bool
is_period(const struct replicate *run, struct str unit)
{
	return run->whole && measure_period(run->gcd, unit) > 0 &&
	       looks_sampled(run, (double)run->gcd);
}

/* The mean square of a stream's weights over the square of their mean. */
static double
unevenness(const struct replicate *run)
{
	return run->squares * (double)run->n / (run->total * run->total);
}

/* Find the count per sample of a run. */
static void
find_quantum(struct exposure *e, const struct comparison *c, size_t i,
	     const struct norm_option *o)
{
	const struct replicate *run = &c->run[i];
	const struct meta *meta = comparison_meta(c, i);
	struct str unit = meta_get(meta, "unit");
	uint64_t n;

	if (o->quantum > 0 || (meta_u64(meta, "quantum", &n) && n > 0)) {
		e->quantum[i] = (double)(o->quantum > 0 ? o->quantum : n);
	} else if (str_eq(unit, STR("samples"))) {
		e->quantum[i] = 1;
	} else if (run->sampled && run->n > 0 &&
		   unevenness(run) < MAX_UNEVENNESS) {
		/* The variance of a sum of such samples is this times it. */
		e->quantum[i] = run->squares / run->total;
	} else if (is_period(run, unit)) {
		e->quantum[i] = (double)run->gcd;
	} else if (!c->paired && meta_u64(meta, "n", &n) && n > 0) {
		e->quantum[i] = run->total / (double)n;
		e->weights_vary = true;
	} else {
		e->quantum[i] = 1;
		e->quantum_unknown |= unit.len > 0 || !run->whole ||
				      !looks_sampled(run, 1);
		e->weights_vary |= e->quantum_unknown;
	}
	if (!(e->quantum[i] > 0))
		e->quantum[i] = 1;
}

/* The exposure of a run by a metadata key, or 0. */
static double
key_exposure(const struct comparison *c, size_t i, const char *key)
{
	const struct meta *meta = comparison_meta(c, i);
	struct str rest = meta_get(meta, key), value = rest;
	struct count n, hz;

	if (c->paired) {
		value = str_cut(&rest, ',');
		if (c->run[i].side == AFTER)
			value = rest;
	}
	if (count_parse(value, &n) != COUNT_OK)
		return 0;
	/* Samples per second times seconds; other units grow with time. */
	if (strcmp(key, "dur") == 0 &&
	    str_eq(meta_get(meta, "unit"), STR("samples")) &&
	    count_parse(meta_get(meta, "hz"), &hz) == COUNT_OK)
		return count_double(n) * count_double(hz);
	return count_double(n);
}

double
exposure_of(const struct comparison *c, size_t i, const struct norm_option *o)
{
	const struct replicate *run = &c->run[i];

	switch (o->norm) {
	case NORM_TOTAL:
	case NORM_ROBUST:
		return run->total;
	case NORM_GIVEN:
		return o->given[run->side];
	case NORM_KEY:
		return key_exposure(c, i, o->key);
	case NORM_NONE:
		break;
	}
	return 1;
}

static void
sum_sides(struct exposure *e, const struct comparison *c)
{
	size_t i;

	e->total[BEFORE] = e->total[AFTER] = 0;
	for (i = 0; i < c->n; i++)
		e->total[c->run[i].side] += e->value[i];
}

const char *
exposure_init(struct exposure *e, const struct comparison *c,
	      const struct norm_option *o)
{
	size_t i, runs[2] = { 0, 0 };

	*e = (struct exposure){ .shares = o->norm == NORM_TOTAL };
	e->quantum = mem_zero(c->n, sizeof(*e->quantum));
	e->value = mem_zero(c->n, sizeof(*e->value));
	for (i = 0; i < c->n; i++)
		runs[c->run[i].side]++;
	for (i = 0; i < c->n; i++) {
		find_quantum(e, c, i, o);
		e->value[i] = exposure_of(c, i, o) / e->quantum[i];
		if (o->norm == NORM_GIVEN)
			e->value[i] /= (double)runs[c->run[i].side];
		if (o->norm == NORM_KEY && !(e->value[i] > 0))
			errx(2, "%s: the metadata have no %s with a number",
			     c->run[i].name, o->key);
	}
	sum_sides(e, c);
	if (!(e->total[BEFORE] > 0) || !(e->total[AFTER] > 0))
		return "one side has no samples";
	return NULL;
}

void
exposure_set_ratio(struct exposure *e, const struct comparison *c, double ratio)
{
	double factor = ratio * e->total[BEFORE] / e->total[AFTER];
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->run[i].side == AFTER)
			e->value[i] *= factor;
	}
	sum_sides(e, c);
}

void
exposure_free(struct exposure *e)
{
	free(e->quantum);
	free(e->value);
}
