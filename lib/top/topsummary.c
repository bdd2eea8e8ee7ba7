/* topsummary.c - a profile in a dozen lines, for foldtop(1) --summary. */
#include "top/topsummary.h"

#include "base/mem.h"

#include <stdlib.h>

/* Callees of a caller take this share of its time, or it is no caller. */
#define CALLEES 0.5

/*
 * A function that has less than this share of its caller's time begins a branch
 * of the program.  Others, as main() in _start(), say nothing new.
 */
#define BRANCH 0.9

/* The frames next to the root: the process, and where its threads begin. */
#define ROOT_DEPTH 3

static const char *const class_name[WAIT_CLASSES] = { "", "lock", "I/O",
						      "idle" };

/* Rows that are collected before they are sorted. */
struct topsummary {
	struct toprow *row;
	size_t n, cap;
};

static void
add(struct topsummary *s, struct toprow row)
{
	s->row = mem_grow(s->row, &s->cap, s->n + 1, sizeof(*s->row));
	s->row[s->n++] = row;
}

/* Functions by the time in which they are the leaf, for each class. */
static void
collect_own(struct topsummary *s, const struct thread_activity *a)
{
	uint32_t i;
	int c;

	for (c = 0; c < WAIT_CLASSES; c++) {
		for (i = 0; a->shown[c] && i < intern_size(a->function); i++) {
			if (a->self[c][i] > 0)
				add(s, (struct toprow){
					   .class = (enum wait_class)c,
					   .id = i,
					   .self = a->self[c][i] });
		}
	}
}

/* For each function, the time of the branches that it begins. */
static double *
sum_branches(const struct thread_activity *a)
{
	double *sum = mem_zero(intern_size(a->function) + 1, sizeof(*sum));
	uint32_t *depth = mem_zero((size_t)a->frames + 1, sizeof(*depth)), i,
		 up;

	/* Callers come before their callees. */
	for (i = 1; i < a->frames; i++) {
		up = a->trie->frame[i].parent;
		depth[i] = depth[up] + 1;
		if (depth[i] > ROOT_DEPTH && a->is_outermost[i] &&
		    a->inclusive[i] < BRANCH * a->inclusive[up])
			sum[a->function_of[i]] += a->inclusive[i];
	}
	free(depth);
	return sum;
}

/* Functions that begin branches, and leave most of the time to callees. */
static void
collect_callers(struct topsummary *s, const struct thread_activity *a)
{
	double *branches = sum_branches(a), self;
	uint32_t i;
	int c;

	for (i = 0; i < intern_size(a->function); i++) {
		for (self = 0, c = 0; c < WAIT_CLASSES; c++)
			self += a->shown[c] ? a->self[c][i] : 0;
		if (self < (1 - CALLEES) * branches[i])
			add(s,
			    (struct toprow){ .id = i, .total = branches[i] });
	}
	free(branches);
}

static int
by_weight(const void *a, const void *b)
{
	const struct toprow *x = a, *y = b;
	const double n = x->total > 0 ? x->total : x->self,
		     m = y->total > 0 ? y->total : y->self;

	if (n != m)
		return n < m ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static void
draw_rows(struct top *t, struct topsummary *s, bool by_total)
{
	struct canvas *c = &t->canvas;
	const struct toprow *r;
	size_t i;

	if (s->n > 0)
		qsort(s->row, s->n, sizeof(*s->row), by_weight);
	for (i = 0; i < s->n && i < t->rows; i++) {
		r = &s->row[i];
		canvas_printf(c, "%5.1f%%  ",
			      100 * (by_total ? r->total : r->self) /
				  t->weight);
		canvas_name(c, intern_name(t->activity.function, r->id), 70);
		if (r->class != WAIT_NONE)
			canvas_printf(c, "  (%s)", class_name[r->class]);
		canvas_line(c);
	}
	free(s->row);
}

void
topsummary_draw(struct top *t)
{
	struct topsummary own = { 0 }, callers = { 0 };
	struct canvas *c = &t->canvas;

	canvas_begin(c);
	if (t->weight > 0) {
		collect_own(&own, &t->activity);
		canvas_text(c, "  SELF  function");
		canvas_line(c);
		draw_rows(t, &own, false);
		collect_callers(&callers, &t->activity);
	}
	if (callers.n > 0) {
		canvas_text(c, " TOTAL  with callees");
		canvas_line(c);
	}
	draw_rows(t, &callers, true);
}
