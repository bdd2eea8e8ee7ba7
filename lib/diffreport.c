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

/* A line of metadata about a frame. */
struct verdict_line {
	struct str node;
	const struct change *change;
};

struct verdict_lines {
	const struct judge *j;
	struct verdict_line *line;
	size_t n, cap;
	bool *has;         /* by frame */
	uint32_t *frame;   /* of a function: the first of its frames, */
	uint32_t *another; /* after a frame: the next one of its function */
	struct arena text;
};

static void
add_line(struct verdict_lines *l, uint32_t frame, const struct change *c)
{
	struct buf stack = { 0 };

	if (l->has[frame])
		return;
	l->has[frame] = true;
	l->line = mem_grow(l->line, &l->cap, l->n + 1, sizeof(*l->line));
	diffreport_row(l->j, frame, &stack);
	l->line[l->n++] =
	    (struct verdict_line){ arena_str(&l->text, buf_slice(&stack)), c };
	buf_free(&stack);
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

static void
chain_frames(struct verdict_lines *l)
{
	const struct rows *r = &l->j->rows;
	uint32_t i;

	l->frame = mem_zero(r->functions, sizeof(*l->frame));
	l->another = mem_zero(r->frames, sizeof(*l->another));
	for (i = r->frames - 1; i > 0; i--) {
		l->another[i] = l->frame[r->of[i]];
		l->frame[r->of[i]] = i;
	}
}

/*
 * A function may have changed in so many places that none is significant:
 * then all of those where it went the same way are meant.
 */
static void
add_places(struct verdict_lines *l, const struct change *c)
{
	const struct rows *r = &l->j->rows;
	uint32_t f = c->row - r->frames, i;
	bool up = c->class == CHANGE_UP || c->class == CHANGE_NEW;

	for (i = l->frame[f]; i != 0; i = l->another[i]) {
		if (l->has[i])
			return;
	}
	for (i = l->frame[f]; i != 0; i = l->another[i]) {
		if (r->top[i] &&
		    (rate(l->j, i, AFTER) > rate(l->j, i, BEFORE)) == up)
			add_line(l, i, c);
	}
}

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
	struct verdict_lines l = { .j = j };
	size_t i;

	if (j->nchange == 0)
		return;
	l.has = mem_zero(j->rows.frames, sizeof(*l.has));
	chain_frames(&l);
	for (i = 0; i < j->nchange; i++) {
		if (j->change[i].row < j->rows.frames)
			add_line(&l, j->change[i].row, &j->change[i]);
	}
	for (i = 0; i < j->nchange; i++) {
		if (j->change[i].row >= j->rows.frames)
			add_places(&l, &j->change[i]);
	}
	qsort(l.line, l.n, sizeof(*l.line), by_node);
	for (i = 0; i < l.n; i++)
		print_line(&l.line[i], out);
	free(l.line);
	free(l.has);
	free(l.frame);
	free(l.another);
	arena_free(&l.text);
}
