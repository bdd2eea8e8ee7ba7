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
	double n = (double)j->n, df = 0, total[2], x, y, p, phi, error;
	struct spread s = { 0 }, b = { 0 };
	size_t i;

	rows_sum(&j->rows, 0, total);
	x = share * total[BEFORE];
	y = share * total[AFTER];
	s.mean = s.wanted = (x + y) * rows_part(&j->rows);
	b.mean = b.wanted = (x + y) / 2 / (double)j->blocks.pairs;
	for (i = 0; i < j->n; i++)
		df = fmax(df, j->test[i].trial.df);
	p = j->option.fdr * (double)(j->significant + 1) / (n > 0 ? n : 1);
	phi = judge_phi(j, &s, &b, &s.df);
	if (j->dispersion.measured)
		s.df += df;
	error = sqrt(phi * (1 / x + 1 / y) *
		     (j->exposure.shares ? 1 - share : 1));
	/* 0.8416: four fifths of a normal distribution are below. */
	return exp((stats_t(stats_z(p < 1 ? p : 1), s.df) + 0.8416) * error);
}

/* Whether a frame is more of the exposure after than before. */
static bool
is_more(const struct judge *j, uint32_t frame)
{
	double n[2];

	rows_sum(&j->rows, frame, n);
	return n[AFTER] / j->exposure.total[AFTER] >
	       n[BEFORE] / j->exposure.total[BEFORE];
}

/*
 * A function may have changed in so many places that none is significant:
 * then all of those where it went the same way are meant.
 */
static void
add_places(const struct judge *j, size_t k, uint32_t *place)
{
	const struct change *c = &j->change[k];
	const struct rows *r = &j->rows;
	uint32_t f = c->row - r->frames, i;
	bool up = c->class == CHANGE_UP || c->class == CHANGE_NEW;

	for (i = r->top[f]; i != 0; i = r->another[i]) {
		if (is_more(j, i) == up)
			place[i] = (uint32_t)k + 1;
	}
}

uint32_t *
diffreport_places(const struct judge *j)
{
	const struct rows *r = &j->rows;
	uint32_t *place = mem_zero(r->frames, sizeof(*place)), row;
	bool *has_frame = mem_zero(r->functions, sizeof(*has_frame));
	size_t k;

	for (k = 0; k < j->nchange; k++) {
		row = j->change[k].row;
		if (row < r->frames) {
			place[row] = (uint32_t)k + 1;
			has_frame[r->of[row]] = true;
		}
	}
	for (k = 0; k < j->nchange; k++) {
		row = j->change[k].row;
		if (row >= r->frames && !has_frame[row - r->frames])
			add_places(j, k, place);
	}
	free(has_frame);
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
