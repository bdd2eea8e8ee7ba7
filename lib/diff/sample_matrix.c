/* sample_matrix.c - the samples of each run in each frame and function. */
#include "diff/sample_matrix.h"

#include "base/mem.h"
#include "diff/stats.h"
#include "folded/folded.h"

#include <stdlib.h>

/* Find the function of each frame; frame 0, the root, has none. */
static void
find_functions(struct sample_matrix *m)
{
	const struct comparison *c = m->comparison;
	uint32_t i, n = intern_size(c->names);
	uint32_t *by_name = mem_zero(n, sizeof(*by_name));
	char suffix;

	m->function = intern_new();
	for (i = 0; i < n; i++)
		by_name[i] = intern_id(
		    m->function,
		    folded_frame_name(intern_name(c->names, i), &suffix));
	m->function_of = mem_zero(m->frames, sizeof(*m->function_of));
	for (i = 1; i < m->frames; i++)
		m->function_of[i] = by_name[c->trie.frame[i].name];
	m->functions = intern_size(m->function);
	free(by_name);
}

/*
 * Find the frames without a caller of the same function.  on[f] counts the
 * frames of f between the root and the current frame.
 */
static void
find_outermost(struct sample_matrix *m)
{
	const struct trie *t = &m->comparison->trie;
	uint32_t *on = mem_zero(m->functions, sizeof(*on));
	uint32_t i = t->frame[0].child;

	m->is_outermost = mem_zero(m->frames, sizeof(*m->is_outermost));
	while (i != 0) {
		m->is_outermost[i] = on[m->function_of[i]]++ == 0;
		if (t->frame[i].child != 0) {
			i = t->frame[i].child;
			continue;
		}
		/* Leave this frame and the callers whose last callee it is. */
		on[m->function_of[i]]--;
		while (t->frame[i].next == 0 && t->frame[i].parent != 0) {
			i = t->frame[i].parent;
			on[m->function_of[i]]--;
		}
		i = t->frame[i].next;
	}
	free(on);
}

static void
link_outermost(struct sample_matrix *m)
{
	uint32_t i;

	m->outermost = mem_zero(m->functions, sizeof(*m->outermost));
	m->next_outermost = mem_zero(m->frames, sizeof(*m->next_outermost));
	for (i = m->frames - 1; i > 0; i--) {
		if (!m->is_outermost[i])
			continue;
		m->next_outermost[i] = m->outermost[m->function_of[i]];
		m->outermost[m->function_of[i]] = i;
	}
}

void
sample_matrix_add_up(const struct sample_matrix *m, double *c)
{
	const struct trie_frame *frame = m->comparison->trie.frame;
	uint32_t i;

	/* Callees come after their callers. */
	for (i = m->frames - 1; i > 0; i--) {
		c[frame[i].parent] += c[i];
		if (m->is_outermost[i])
			c[m->frames + m->function_of[i]] += c[i];
	}
}

/* Compute the column of run k. */
static void
fill(const struct sample_matrix *m, size_t k, double *column)
{
	const struct replicate *run = &m->comparison->run[k];
	double quantum = m->exposure->quantum[k];
	size_t w;

	memset(column, 0, m->rows * sizeof(*column));
	for (w = 0; w < run->n; w++)
		column[run->weight[w].frame] += run->weight[w].n / quantum;
	sample_matrix_add_up(m, column);
}

void
sample_matrix_init(struct sample_matrix *m, const struct comparison *c,
		   const struct exposure *e)
{
	size_t i;

	*m = (struct sample_matrix){ .comparison = c,
				     .exposure = e,
				     .frames = c->trie.n };
	find_functions(m);
	find_outermost(m);
	link_outermost(m);
	m->rows = m->frames + m->functions;
	m->column = mem_zero(c->n, sizeof(*m->column));
	for (i = 0; i < c->n; i++) {
		m->column[i] = mem_alloc(m->rows * sizeof(**m->column));
		fill(m, i, m->column[i]);
	}
}

void
sample_matrix_free(struct sample_matrix *m)
{
	size_t i;

	for (i = 0; m->column != NULL && i < m->comparison->n; i++)
		free(m->column[i]);
	free(m->column);
	intern_free(m->function);
	free(m->function_of);
	free(m->outermost);
	free(m->next_outermost);
	free(m->is_outermost);
}

void
sample_matrix_get(const struct sample_matrix *m, uint32_t row, double *v)
{
	size_t i;

	for (i = 0; i < m->comparison->n; i++)
		v[i] = m->column[i][row];
}

void
sample_matrix_sum(const struct sample_matrix *m, uint32_t row, double sum[2])
{
	size_t i;

	sum[BEFORE] = sum[AFTER] = 0;
	for (i = 0; i < m->comparison->n; i++)
		sum[m->comparison->run[i].side] += m->column[i][row];
}

/* The sum of the squared shares of a side's runs: 1/n for n equal runs. */
static double
concentration(const struct sample_matrix *m, enum side side)
{
	const struct exposure *e = m->exposure;
	double sum = 0, part;
	size_t i;

	for (i = 0; i < m->comparison->n; i++) {
		if (m->comparison->run[i].side != side || !(e->total[side] > 0))
			continue;
		part = e->value[i] / e->total[side];
		sum += part * part;
	}
	return sum;
}

/*
 * If the variance of runs grows with the square of their exposures, the longest
 * run dominates a side.  So this is the share of a run if there were fewer,
 * equal runs with the same variance.
 */
double
sample_matrix_run_share(const struct sample_matrix *m)
{
	const double *e = m->exposure->total, all = e[BEFORE] + e[AFTER];
	double part, equal = 1 / (double)m->comparison->n;

	part = (concentration(m, BEFORE) + concentration(m, AFTER)) *
	       e[BEFORE] / all * e[AFTER] / all;
	return part > equal ? part : equal;
}

/*
 * The mean to which chi squared belongs, per degree of freedom.  A run that is
 * nearly all of its side adds nothing.
 */
static double
measured_mean(const struct sample_matrix *m, const struct row_stats *stats)
{
	return (stats->x * (1 - concentration(m, BEFORE)) +
		stats->y * (1 - concentration(m, AFTER))) /
	       stats->df;
}

/*
 * Add Pearson's chi squared of the runs of one side, whose samples sum to sum.
 * A run's expected count is its share of that: sum of (v - mean)^2 / mean, or
 * / mean (1 - mean / e) if totals are fixed.
 */
static double
chi_squared(const struct sample_matrix *m, const double *v, enum side side,
	    double sum, double *df)
{
	const struct exposure *e = m->exposure;
	double chi = 0, n = 0, mean, variance;
	size_t i;

	for (i = 0; i < m->comparison->n; i++) {
		if (m->comparison->run[i].side != side || !(e->value[i] > 0))
			continue;
		mean = sum * e->value[i] / e->total[side];
		variance = e->shares ? mean * (1 - mean / e->value[i]) : mean;
		n++;
		if (variance > 1e-9 * mean)
			chi += (v[i] - mean) * (v[i] - mean) / variance;
	}
	if (sum > 0 && n > 1)
		*df += n - 1;
	return chi;
}

struct row_stats
sample_matrix_stats(const struct sample_matrix *m, const double *v)
{
	const struct exposure *e = m->exposure;
	struct row_stats stats = { 0 };
	size_t i;

	for (i = 0; i < m->comparison->n; i++) {
		if (m->comparison->run[i].side == BEFORE)
			stats.x += v[i];
		else
			stats.y += v[i];
	}
	stats.root_g = stats_root_g(stats.x, stats.y, e->total[BEFORE],
				    e->total[AFTER], e->shares);
	stats.phi = chi_squared(m, v, BEFORE, stats.x, &stats.df);
	stats.phi += chi_squared(m, v, AFTER, stats.y, &stats.df);
	stats.phi = stats.df > 0 ? stats.phi / stats.df : 0;
	stats.target = (stats.x + stats.y) * sample_matrix_run_share(m);
	stats.mean = stats.df > 0 ? measured_mean(m, &stats) : stats.target;
	return stats;
}

struct row_stats
sample_matrix_stats_without(const struct sample_matrix *m, const double *v,
			    const double *less)
{
	struct exposure e = *m->exposure;
	struct sample_matrix rest = *m;
	struct row_stats stats;
	size_t i;

	e.value = mem_zero(m->comparison->n, sizeof(*e.value));
	e.total[BEFORE] = e.total[AFTER] = 0;
	for (i = 0; i < m->comparison->n; i++) {
		e.value[i] = m->exposure->value[i] - less[i];
		/* Sums of the same numbers may differ by rounding. */
		if (e.value[i] < v[i])
			e.value[i] = v[i];
		e.total[m->comparison->run[i].side] += e.value[i];
	}
	rest.exposure = &e;
	stats = sample_matrix_stats(&rest, v);
	free(e.value);
	return stats;
}
