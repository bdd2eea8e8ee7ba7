/* diffverdict.c - the "#node" metadata that mark changed frames in pictures. */
#include "diff/diffverdict.h"

#include "base/arena.h"
#include "base/mem.h"
#include "diff/diffreport.h"
#include "folded/meta.h"

#include <math.h>
#include <stdlib.h>

/* Append a number with four digits, or "inf". */
static void
add_number(struct buf *out, double n)
{
	if (n < HUGE_VAL)
		buf_printf(out, "%.4g", n);
	else
		buf_str(out, STR("inf"));
}

/* Whether the share of a frame grew. */
static bool
has_grown(const struct significance *sig, uint32_t frame)
{
	double n[2];

	sample_matrix_sum(&sig->matrix, frame, n);
	return n[AFTER] / sig->exposure.total[AFTER] >
	       n[BEFORE] / sig->exposure.total[BEFORE];
}

/*
 * A function may have changed in so many places that no single frame is
 * significant.  Then mark all its frames that went the same way.
 */
static void
mark_function(const struct significance *sig, size_t k, uint32_t *mark)
{
	const struct change *c = &sig->change[k];
	const struct sample_matrix *m = &sig->matrix;
	uint32_t f = c->row - m->frames, i;
	bool up = c->class == CHANGE_UP || c->class == CHANGE_NEW;

	for (i = m->outermost[f]; i != 0; i = m->next_outermost[i]) {
		if (has_grown(sig, i) == up)
			mark[i] = (uint32_t)k + 1;
	}
}

uint32_t *
diffverdict_changes(const struct significance *sig)
{
	const struct sample_matrix *m = &sig->matrix;
	uint32_t *mark = mem_zero(m->frames, sizeof(*mark)), row;
	bool *has_frame = mem_zero(m->functions, sizeof(*has_frame));
	size_t k;

	for (k = 0; k < sig->nchange; k++) {
		row = sig->change[k].row;
		if (row < m->frames) {
			mark[row] = (uint32_t)k + 1;
			has_frame[m->function_of[row]] = true;
		}
	}
	for (k = 0; k < sig->nchange; k++) {
		row = sig->change[k].row;
		if (row >= m->frames && !has_frame[row - m->frames])
			mark_function(sig, k, mark);
	}
	free(has_frame);
	return mark;
}

void
diffverdict_header(const struct significance *sig, struct meta *header)
{
	struct buf text = { 0 };

	if (sig->matrix.rows == 0)
		return;
	meta_set(header, "test", sig->untested == NULL ? STR("1") : STR("0"));
	if (sig->replicates || sig->untested != NULL)
		return;
	if (!sig->assumed)
		buf_printf(&text, "phi:%g", sig->option.phi);
	else
		buf_printf(&text, "user:%g,kernel:%g,jit:%g", sig->single.user,
			   SINGLE_RUN_KERNEL, SINGLE_RUN_JIT);
	meta_set_raw(header, "assumed", buf_slice(&text));
	buf_free(&text);
}

/* A line of metadata about a frame, which is given as a stack. */
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
print_line(const struct significance *sig, const struct verdict_line *l,
	   struct buf *out)
{
	enum change_class class = l->change->class;

	buf_str(out, STR("#node="));
	meta_encode(out, l->node);
	buf_printf(out, ";class=%s", diffreport_class(l->change));
	if (sig->untested == NULL) {
		buf_str(out, STR(";lo="));
		add_number(out, l->change->lo);
		buf_str(out, STR(";hi="));
		add_number(out, l->change->hi);
	}
	if (class != CHANGE_LARGER && class != CHANGE_SMALLER)
		buf_printf(out, ";q=%.2g", l->change->q);
	buf_char(out, '\n');
}

/* Frames with less than this share of the samples are not marked as large. */
#define MIN_SHARE 0.001

/* Mark the frames of a large difference that have no change. */
static void
mark_large(const struct significance *sig, const struct change *c,
	   const struct change **of)
{
	const struct sample_matrix *m = &sig->matrix;
	const double *total = sig->exposure.total;
	double n[2], least = MIN_SHARE * (total[BEFORE] + total[AFTER]);
	uint32_t i;

	for (i = m->outermost[c->row - m->frames]; i != 0;
	     i = m->next_outermost[i]) {
		sample_matrix_sum(m, i, n);
		if (of[i] == NULL && n[BEFORE] + n[AFTER] >= least &&
		    has_grown(sig, i) == (c->class == CHANGE_LARGER))
			of[i] = c;
	}
}

/*
 * The change of each frame, or NULL: a significant one, else the difference
 * that is among the largest.
 */
static const struct change **
find_changes(const struct significance *sig)
{
	const struct sample_matrix *m = &sig->matrix;
	const struct change **of = mem_zero(m->frames, sizeof(*of));
	uint32_t *mark = diffverdict_changes(sig), i;
	size_t k;

	for (i = 1; i < m->frames; i++) {
		if (mark[i] > 0)
			of[i] = &sig->change[mark[i] - 1];
	}
	for (k = 0; k < sig->nlargest; k++)
		mark_large(sig, &sig->largest[k], of);
	free(mark);
	return of;
}

void
diffverdict_print(const struct significance *sig, struct buf *out)
{
	const struct change **of;
	uint32_t i;
	struct verdict_line *line = NULL;
	struct buf stack = { 0 };
	struct arena text = { 0 };
	size_t n = 0, cap = 0, k;

	if (sig->matrix.rows == 0)
		return;
	of = find_changes(sig);
	for (i = 1; i < sig->matrix.frames; i++) {
		if (of[i] == NULL)
			continue;
		stack.len = 0;
		diffreport_row(sig, i, &stack);
		line = mem_grow(line, &cap, n + 1, sizeof(*line));
		line[n++] = (struct verdict_line){
			arena_str(&text, buf_slice(&stack)), of[i]
		};
	}
	if (n > 0)
		qsort(line, n, sizeof(*line), by_node);
	for (k = 0; k < n; k++)
		print_line(sig, &line[k], out);
	free(line);
	free(of);
	buf_free(&stack);
	arena_free(&text);
}
