/* largest.c - the largest differences that are not significant. */
#include "diff/largest.h"

#include "base/mem.h"
#include "diff/attribute.h"
#include "diff/residual.h"

#include <math.h>
#include <stdlib.h>

/* Functions in the list. */
#define MOST 10

/* A difference is at least this share of all samples, or of its own. */
#define MIN_SHARE 0.005
#define MIN_CHANGE 0.2

/* Samples of both sides without which a difference is not worth a look. */
#define MIN_SAMPLES 40

/*
 * Of functions whose differences are at least this part of the largest one, the
 * rarest comes first: its callers differ because it does.
 */
#define ALIKE 0.8

/* The search: what the functions found so far do not explain. */
struct largest_search {
	struct significance *sig;
	struct residual residual;
	double total[2]; /* samples that are not explained, by side */
	bool *done;      /* by function: found, or explained */
};

/* What a function has that is not explained. */
struct rest {
	double n[2];
	double differs; /* of the shares, after - before */
};

static enum side
side_of(const struct largest_search *s, size_t run)
{
	return s->sig->matrix.comparison->run[run].side;
}

static double
exposure(const struct largest_search *s, enum side side)
{
	return s->sig->exposure.shares ? fmax(s->total[side], 1) :
					 s->sig->exposure.total[side];
}

static struct rest
get_rest(const struct largest_search *s, uint32_t f)
{
	const struct sample_matrix *m = &s->sig->matrix;
	size_t k, runs = m->comparison->n;
	struct rest r = { { 0, 0 }, 0 };
	uint32_t i;

	for (i = m->outermost[f]; i != 0; i = m->next_outermost[i]) {
		if (residual_is_explained(&s->residual, i))
			continue;
		residual_get(&s->residual, i, s->sig->scratch);
		for (k = 0; k < runs; k++)
			r.n[side_of(s, k)] += s->sig->scratch[k];
	}
	r.differs = r.n[AFTER] / exposure(s, AFTER) -
		    r.n[BEFORE] / exposure(s, BEFORE);
	return r;
}

/* A frame explains what it has left. */
static void
explain_frame(struct largest_search *s, uint32_t frame)
{
	size_t k;

	if (residual_is_explained(&s->residual, frame))
		return;
	residual_get(&s->residual, frame, s->sig->scratch);
	for (k = 0; k < s->sig->matrix.comparison->n; k++)
		s->total[side_of(s, k)] -= s->sig->scratch[k];
	residual_explain(&s->residual, frame);
}

static void
explain(struct largest_search *s, uint32_t f)
{
	const struct sample_matrix *m = &s->sig->matrix;
	uint32_t i;

	for (i = m->outermost[f]; i != 0; i = m->next_outermost[i])
		explain_frame(s, i);
	s->done[f] = true;
}

static bool
is_worth(const struct largest_search *s, const struct rest *r)
{
	double before = r->n[BEFORE] / exposure(s, BEFORE);

	return r->n[BEFORE] + r->n[AFTER] >= MIN_SAMPLES &&
	       (fabs(r->differs) >= MIN_SHARE ||
		fabs(r->differs) >= MIN_CHANGE * before);
}

/* The function to list next; false if none is left. */
static bool
choose(const struct largest_search *s, uint32_t *best)
{
	const struct sample_matrix *m = &s->sig->matrix;
	struct rest *rest = mem_zero(m->functions, sizeof(*rest));
	double most = 0, fewest = HUGE_VAL, n;
	uint32_t f;

	for (f = 0; f < m->functions; f++) {
		if (s->done[f])
			continue;
		rest[f] = get_rest(s, f);
		if (is_worth(s, &rest[f]))
			most = fmax(most, fabs(rest[f].differs));
	}
	for (f = 0; f < m->functions; f++) {
		n = rest[f].n[BEFORE] + rest[f].n[AFTER];
		if (!s->done[f] && is_worth(s, &rest[f]) &&
		    fabs(rest[f].differs) >= ALIKE * most && n < fewest) {
			fewest = n;
			*best = f;
		}
	}
	free(rest);
	return fewest < HUGE_VAL;
}

static void
add(struct significance *sig, uint32_t f)
{
	uint32_t row = sig->matrix.frames + f;
	struct change c;

	attribute_measure(sig, row, &c);
	c.class = c.share[AFTER] > c.share[BEFORE] ? CHANGE_LARGER :
						     CHANGE_SMALLER;
	sig->largest = mem_grow(sig->largest, &sig->largest_cap,
				sig->nlargest + 1, sizeof(*sig->largest));
	sig->largest[sig->nlargest++] = c;
}

static int
larger_first(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	double m = fabs(x->share[AFTER] - x->share[BEFORE]);
	double n = fabs(y->share[AFTER] - y->share[BEFORE]);

	if (m != n)
		return m > n ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Whether a name stands for frames of which nothing is known. */
static bool
is_nameless(struct str name)
{
	return str_eq(name, STR("[unknown]")) ||
	       str_eq(name, STR("[missing]")) ||
	       str_eq(name, STR("[truncated]"));
}

/* The changes explain their samples; interrupts are noise. */
static void
begin(struct largest_search *s, struct significance *sig)
{
	const struct sample_matrix *m = &sig->matrix;
	size_t i;
	uint32_t f, row;

	*s = (struct largest_search){ .sig = sig };
	residual_init(&s->residual, m);
	sample_matrix_sum(m, 0, s->total);
	s->done = mem_zero(m->functions, sizeof(*s->done));
	for (f = 0; f < m->functions; f++)
		s->done[f] = m->outermost[f] == 0 ||
			     is_nameless(intern_name(m->function, f)) ||
			     sig->single.class.interrupt[m->frames + f];
	for (i = 0; i < sig->nchange; i++) {
		row = sig->change[i].row;
		if (row >= m->frames)
			explain(s, row - m->frames);
		else
			explain_frame(s, row);
	}
}

void
largest_find(struct significance *sig)
{
	struct largest_search s;
	uint32_t f = 0;

	begin(&s, sig);
	while (sig->nlargest < MOST && choose(&s, &f)) {
		add(sig, f);
		explain(&s, f);
	}
	if (sig->nlargest > 0)
		qsort(sig->largest, sig->nlargest, sizeof(*sig->largest),
		      larger_first);
	residual_free(&s.residual);
	free(s.done);
}
