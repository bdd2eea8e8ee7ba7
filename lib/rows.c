/* rows.c - the samples of every run in each frame and in each function. */
#include "rows.h"

#include "folded.h"
#include "mem.h"
#include "stats.h"

#include <stdlib.h>

/* Which function each frame is; frame 0, the root, is none. */
static void
find_functions(struct rows *r)
{
	const struct sides *s = r->sides;
	uint32_t i, n = intern_size(s->names);
	uint32_t *by_name = mem_zero(n, sizeof(*by_name));
	char suffix;

	r->function = intern_new();
	for (i = 0; i < n; i++)
		by_name[i] = intern_id(
		    r->function, frame_name(intern_name(s->names, i), &suffix));
	r->of = mem_zero(r->frames, sizeof(*r->of));
	for (i = 1; i < r->frames; i++)
		r->of[i] = by_name[s->trie.frame[i].name];
	r->functions = intern_size(r->function);
	free(by_name);
}

/*
 * A stack with a function twice counts once, where the function is first on
 * it: on[f] counts the frames of f on the way to where the walk is.
 */
static void
find_tops(struct rows *r)
{
	const struct trie *t = &r->sides->trie;
	uint32_t *on = mem_zero(r->functions, sizeof(*on));
	uint32_t i = t->frame[0].child;

	r->is_top = mem_zero(r->frames, sizeof(*r->is_top));
	while (i != 0) {
		r->is_top[i] = on[r->of[i]]++ == 0;
		if (t->frame[i].child != 0) {
			i = t->frame[i].child;
			continue;
		}
		/* Leave this frame, and those it is the last callee of. */
		on[r->of[i]]--;
		while (t->frame[i].next == 0 && t->frame[i].parent != 0) {
			i = t->frame[i].parent;
			on[r->of[i]]--;
		}
		i = t->frame[i].next;
	}
	free(on);
}

static void
chain_tops(struct rows *r)
{
	uint32_t i;

	r->top = mem_zero(r->functions, sizeof(*r->top));
	r->another = mem_zero(r->frames, sizeof(*r->another));
	for (i = r->frames - 1; i > 0; i--) {
		if (!r->is_top[i])
			continue;
		r->another[i] = r->top[r->of[i]];
		r->top[r->of[i]] = i;
	}
}

/* Let callers and functions have what their frames have. */
static void
sum_up(const struct rows *r, double *c)
{
	const struct trie_frame *frame = r->sides->trie.frame;
	uint32_t i;

	/* Callees come after their callers. */
	for (i = r->frames - 1; i > 0; i--) {
		c[frame[i].parent] += c[i];
		if (r->is_top[i])
			c[r->frames + r->of[i]] += c[i];
	}
}

void
rows_fill(const struct rows *r, size_t k, uint32_t first, uint32_t length,
	  double *column)
{
	const struct run *run = &r->sides->run[k];
	double quantum = r->exposure->quantum[k];
	size_t w;

	memset(column, 0, r->n * sizeof(*column));
	for (w = 0; w < run->n; w++) {
		if (run->weight[w].second - first < length)
			column[run->weight[w].frame] += run->weight[w].n /
							quantum;
	}
	sum_up(r, column);
}

void
rows_init(struct rows *r, const struct sides *s, const struct exposure *e)
{
	size_t i;

	*r = (struct rows){ .sides = s, .exposure = e, .frames = s->trie.n };
	find_functions(r);
	find_tops(r);
	chain_tops(r);
	r->n = r->frames + r->functions;
	r->column = mem_zero(s->n, sizeof(*r->column));
	for (i = 0; i < s->n; i++) {
		r->column[i] = mem_alloc(r->n * sizeof(**r->column));
		rows_fill(r, i, 0, UINT32_MAX, r->column[i]);
	}
}

void
rows_free(struct rows *r)
{
	size_t i;

	for (i = 0; r->column != NULL && i < r->sides->n; i++)
		free(r->column[i]);
	free(r->column);
	intern_free(r->function);
	free(r->of);
	free(r->top);
	free(r->another);
	free(r->is_top);
}

void
rows_get(const struct rows *r, uint32_t row, double *v)
{
	size_t i;

	for (i = 0; i < r->sides->n; i++)
		v[i] = r->column[i][row];
}

void
rows_sum(const struct rows *r, uint32_t row, double sum[2])
{
	size_t i;

	sum[BEFORE] = sum[AFTER] = 0;
	for (i = 0; i < r->sides->n; i++)
		sum[r->sides->run[i].side] += r->column[i][row];
}

/* What a side's runs have of its exposure, squared: 1/n of n equal ones. */
static double
concentration(const struct rows *r, enum side side)
{
	const struct exposure *e = r->exposure;
	double sum = 0, part;
	size_t i;

	for (i = 0; i < r->sides->n; i++) {
		if (r->sides->run[i].side != side || !(e->total[side] > 0))
			continue;
		part = e->e[i] / e->total[side];
		sum += part * part;
	}
	return sum;
}

/*
 * Where the variance of runs grows with the square of their exposures, that of
 * a side is mostly its longest run's: how much of a side such a run would be
 * if all were equal.
 */
double
rows_part(const struct rows *r)
{
	const double *e = r->exposure->total, all = e[BEFORE] + e[AFTER];
	double part, equal = 1 / (double)r->sides->n;

	part = (concentration(r, BEFORE) + concentration(r, AFTER)) *
	       e[BEFORE] / all * e[AFTER] / all;
	return part > equal ? part : equal;
}

/*
 * The same of what chi squared sees of this, by degrees of freedom: of a run
 * that is nearly all of its side, nothing.
 */
static double
seen_mean(const struct rows *r, const struct trial *t)
{
	return (t->x * (1 - concentration(r, BEFORE)) +
		t->y * (1 - concentration(r, AFTER))) /
	       t->df;
}

/*
 * Pearson's chi squared of the runs of one side, each with its share of the
 * side's samples expected: sum of (v - m)^2 / m, or / m (1 - m / e) where
 * totals are fixed.
 */
static double
spread(const struct rows *r, const double *v, enum side side, double sum,
       double *df)
{
	const struct exposure *e = r->exposure;
	double chi = 0, n = 0, m, variance;
	size_t i;

	for (i = 0; i < r->sides->n; i++) {
		if (r->sides->run[i].side != side || !(e->e[i] > 0))
			continue;
		m = sum * e->e[i] / e->total[side];
		variance = e->shares ? m * (1 - m / e->e[i]) : m;
		n++;
		if (variance > 1e-9 * m)
			chi += (v[i] - m) * (v[i] - m) / variance;
	}
	if (sum > 0 && n > 1)
		*df += n - 1;
	return chi;
}

struct trial
rows_try(const struct rows *r, const double *v)
{
	const struct exposure *e = r->exposure;
	struct trial t = { 0 };
	size_t i;

	for (i = 0; i < r->sides->n; i++) {
		if (r->sides->run[i].side == BEFORE)
			t.x += v[i];
		else
			t.y += v[i];
	}
	t.root = stats_root_g(t.x, t.y, e->total[BEFORE], e->total[AFTER],
			      e->shares);
	t.phi = spread(r, v, BEFORE, t.x, &t.df);
	t.phi += spread(r, v, AFTER, t.y, &t.df);
	t.phi = t.df > 0 ? t.phi / t.df : 0;
	t.wanted = (t.x + t.y) * rows_part(r);
	t.mean = t.df > 0 ? seen_mean(r, &t) : t.wanted;
	return t;
}

struct trial
rows_try_without(const struct rows *r, const double *v, const double *less)
{
	struct exposure e = *r->exposure;
	struct rows rest = *r;
	struct trial t;
	size_t i;

	e.e = mem_zero(r->sides->n, sizeof(*e.e));
	e.total[BEFORE] = e.total[AFTER] = 0;
	for (i = 0; i < r->sides->n; i++) {
		e.e[i] = r->exposure->e[i] - less[i];
		/* Sums of the same numbers in another order. */
		if (e.e[i] < v[i])
			e.e[i] = v[i];
		e.total[r->sides->run[i].side] += e.e[i];
	}
	rest.exposure = &e;
	t = rows_try(&rest, v);
	free(e.e);
	return t;
}
