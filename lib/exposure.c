/* exposure.c - how many samples each run has, and might have had. */
#include "exposure.h"

#include "mem.h"

#include <err.h>
#include <stdlib.h>

bool
norm_parse(const char *s, struct norm_option *o)
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

/*
 * Whether counts whose greatest common divisor is q look like samples of q
 * each: where there are many, many stacks were hit only once or a few times.
 * Bytes, cycles and waiting times are spread over all sizes.
 */
static bool
looks_sampled(const struct run *run, double q)
{
	size_t i, few = 0;

	for (i = 0; i < run->n; i++)
		few += run->weight[i].n <= 3.5 * q;
	return run->total <= 1e5 * q || few * 100 >= run->n;
}

const struct meta *
exposure_meta(const struct sides *s, size_t run)
{
	return &s->run[s->paired ? s->n - 1 : run].meta;
}

/* What one sample of a run adds. */
static void
find_quantum(struct exposure *e, const struct sides *s, size_t i,
	     const struct norm_option *o)
{
	const struct run *run = &s->run[i];
	const struct meta *m = exposure_meta(s, i);
	struct str unit = meta_get(m, "unit");
	uint64_t n;

	if (o->quantum > 0 || (meta_u64(m, "quantum", &n) && n > 0)) {
		e->quantum[i] = (double)(o->quantum > 0 ? o->quantum : n);
	} else if (str_eq(unit, STR("samples"))) {
		e->quantum[i] = 1;
	} else if (!s->paired && meta_u64(m, "n", &n) && n > 0) {
		e->quantum[i] = run->total / (double)n;
		e->varies = true;
	} else {
		e->quantum[i] = run->gcd > 0 ? (double)run->gcd : 1;
		e->unknown |= unit.len > 0 || !run->whole ||
			      !looks_sampled(run, e->quantum[i]);
		e->varies |= e->unknown;
	}
	if (!(e->quantum[i] > 0))
		e->quantum[i] = 1;
}

static double
find_key(const struct sides *s, size_t i, const char *key)
{
	const struct meta *m = exposure_meta(s, i);
	struct str rest = meta_get(m, key), value = rest;
	struct count n, hz;

	if (s->paired) {
		value = str_cut(&rest, ',');
		if (s->run[i].side == AFTER)
			value = rest;
	}
	if (count_parse(value, &n) != COUNT_OK)
		return 0;
	/* Samples a second times seconds; other units grow with time alone. */
	if (strcmp(key, "dur") == 0 &&
	    str_eq(meta_get(m, "unit"), STR("samples")) &&
	    count_parse(meta_get(m, "hz"), &hz) == COUNT_OK)
		return count_double(n) * count_double(hz);
	return count_double(n);
}

double
exposure_of(const struct sides *s, size_t i, const struct norm_option *o)
{
	const struct run *run = &s->run[i];

	switch (o->norm) {
	case NORM_TOTAL:
	case NORM_ROBUST:
		return run->total;
	case NORM_GIVEN:
		return o->given[run->side];
	case NORM_KEY:
		return find_key(s, i, o->key);
	case NORM_NONE:
		break;
	}
	return 1;
}

static void
sum_sides(struct exposure *e, const struct sides *s)
{
	size_t i;

	e->total[BEFORE] = e->total[AFTER] = 0;
	for (i = 0; i < s->n; i++)
		e->total[s->run[i].side] += e->e[i];
}

const char *
exposure_find(struct exposure *e, const struct sides *s,
	      const struct norm_option *o)
{
	size_t i, runs[2] = { 0, 0 };

	*e = (struct exposure){ .shares = o->norm == NORM_TOTAL };
	e->quantum = mem_zero(s->n, sizeof(*e->quantum));
	e->e = mem_zero(s->n, sizeof(*e->e));
	for (i = 0; i < s->n; i++)
		runs[s->run[i].side]++;
	for (i = 0; i < s->n; i++) {
		find_quantum(e, s, i, o);
		e->e[i] = exposure_of(s, i, o) / e->quantum[i];
		if (o->norm == NORM_GIVEN)
			e->e[i] /= (double)runs[s->run[i].side];
		if (o->norm == NORM_KEY && !(e->e[i] > 0))
			errx(2, "%s: the metadata have no %s with a number",
			     s->run[i].name, o->key);
	}
	sum_sides(e, s);
	if (!(e->total[BEFORE] > 0) || !(e->total[AFTER] > 0))
		return "one side has no samples";
	return NULL;
}

void
exposure_set_ratio(struct exposure *e, const struct sides *s, double ratio)
{
	double factor = ratio * e->total[BEFORE] / e->total[AFTER];
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->run[i].side == AFTER)
			e->e[i] *= factor;
	}
	sum_sides(e, s);
}

void
exposure_free(struct exposure *e)
{
	free(e->quantum);
	free(e->e);
}
