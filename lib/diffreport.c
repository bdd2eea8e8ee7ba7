/* diffreport.c - what was found to have changed, for people and programs. */
#include "diffreport.h"

#include "mem.h"
#include "meta.h"
#include "stats.h"
#include "trietext.h"

#include <math.h>
#include <stdlib.h>

const char *
diffreport_class(const struct change *c)
{
	static const char *const name[] = { "up", "down", "new", "gone",
					    "moved" };

	return name[c->class];
}

void
diffreport_row(const struct judge *j, uint32_t row, struct buf *out)
{
	const struct rows *r = &j->rows;

	if (row < r->frames)
		trietext_stack(&r->sides->trie, r->sides->names, row, out);
	else
		buf_str(out, intern_name(r->function, row - r->frames));
}

/* A number as short as four digits have it; "inf" where it is. */
static void
add_number(struct buf *out, double n)
{
	if (n < HUGE_VAL)
		buf_printf(out, "%.4g", n);
	else
		buf_str(out, STR("inf"));
}

void
diffreport_change(struct buf *out, double ratio)
{
	double percent = 100 * (ratio - 1);

	if (!(ratio < HUGE_VAL))
		buf_str(out, STR("new"));
	else if (ratio <= 0)
		buf_str(out, STR("gone"));
	else if (ratio >= 10)
		buf_printf(out, "x%.3g", ratio);
	else
		buf_printf(out, "%+.*f%%", fabs(percent) < 10 ? 1 : 0, percent);
}

double
diffreport_least(const struct judge *j, double share)
{
	double x = share * j->exposure.total[BEFORE];
	double y = share * j->exposure.total[AFTER], n = (double)j->n, p, error;
	struct spread s = { .mean = (x + y) / (double)j->rows.sides->n };
	double df = 0, phi;
	size_t i;

	for (i = 0; i < j->n; i++)
		df = fmax(df, j->test[i].trial.df);
	p = j->option.fdr * (double)(j->significant + 1) / (n > 0 ? n : 1);
	phi = dispersion_of(&j->dispersion, &s, &s.df);
	if (j->dispersion.measured)
		s.df += df;
	error = sqrt(phi * (1 / x + 1 / y) *
		     (j->exposure.shares ? 1 - share : 1));
	/* 0.8416: four fifths of a normal distribution are below. */
	return exp((stats_t(stats_z(p < 1 ? p : 1), s.df) + 0.8416) * error);
}

/* Samples of a side in a frame, to its exposure. */
static double
rate(const struct judge *j, uint32_t frame, enum side side)
{
	const struct rows *r = &j->rows;
	double sum = 0;
	size_t i;

	for (i = 0; i < r->sides->n; i++)
		sum += r->sides->run[i].side == side ? r->column[i][frame] : 0;
	return sum / j->exposure.total[side];
}

/* The frames of each function, chained: the first one, and what follows. */
struct chains {
	uint32_t *frame, *another;
};

static struct chains
chain_frames(const struct rows *r)
{
	struct chains c = { mem_zero(r->functions, sizeof(*c.frame)),
			    mem_zero(r->frames, sizeof(*c.another)) };
	uint32_t i;

	for (i = r->frames - 1; i > 0; i--) {
		c.another[i] = c.frame[r->of[i]];
		c.frame[r->of[i]] = i;
	}
	return c;
}

/*
 * A function may have changed in so many places that none is significant:
 * then all of those where it went the same way are meant.
 */
static void
add_places(const struct judge *j, const struct chains *chains, size_t k,
	   uint32_t *place)
{
	const struct change *c = &j->change[k];
	const struct rows *r = &j->rows;
	uint32_t f = c->row - r->frames, i;
	bool up = c->class == CHANGE_UP || c->class == CHANGE_NEW;

	for (i = chains->frame[f]; i != 0; i = chains->another[i]) {
		if (place[i] != 0)
			return;
	}
	for (i = chains->frame[f]; i != 0; i = chains->another[i]) {
		if (r->top[i] && (rate(j, i, AFTER) > rate(j, i, BEFORE)) == up)
			place[i] = (uint32_t)k + 1;
	}
}

uint32_t *
diffreport_places(const struct judge *j)
{
	const struct rows *r = &j->rows;
	uint32_t *place = mem_zero(r->frames, sizeof(*place));
	struct chains chains;
	size_t k;

	if (j->nchange == 0)
		return place;
	chains = chain_frames(r);
	for (k = 0; k < j->nchange; k++) {
		if (j->change[k].row < r->frames)
			place[j->change[k].row] = (uint32_t)k + 1;
	}
	for (k = 0; k < j->nchange; k++) {
		if (j->change[k].row >= r->frames)
			add_places(j, &chains, k, place);
	}
	free(chains.frame);
	free(chains.another);
	return place;
}

/* A line of metadata about a frame. */
struct verdict_line {
	struct str node;
	const struct change *change;
};

static int
by_node(const void *a, const void *b)
{
	const struct verdict_line *x = a, *y = b;

	return str_cmp(x->node, y->node);
}

static void
print_line(const struct verdict_line *l, struct buf *out)
{
	buf_str(out, STR("#node="));
	meta_encode(out, l->node);
	buf_printf(out, ";class=%s;lo=", diffreport_class(l->change));
	add_number(out, l->change->lo);
	buf_str(out, STR(";hi="));
	add_number(out, l->change->hi);
	buf_printf(out, ";q=%.2g\n", l->change->q);
}

void
diffreport_verdicts(const struct judge *j, struct buf *out)
{
	uint32_t *place = diffreport_places(j), i;
	struct verdict_line *line = NULL;
	struct buf stack = { 0 };
	struct arena text = { 0 };
	size_t n = 0, cap = 0, k;

	for (i = 1; i < j->rows.frames; i++) {
		if (place[i] == 0)
			continue;
		stack.len = 0;
		diffreport_row(j, i, &stack);
		line = mem_grow(line, &cap, n + 1, sizeof(*line));
		line[n++] = (struct verdict_line){ arena_str(&text,
							     buf_slice(&stack)),
						   &j->change[place[i] - 1] };
	}
	if (n > 0)
		qsort(line, n, sizeof(*line), by_node);
	for (k = 0; k < n; k++)
		print_line(&line[k], out);
	free(line);
	free(place);
	buf_free(&stack);
	arena_free(&text);
}
