/* topsummary.c - a profile in a dozen lines, for foldtop(1) --summary. */
#include "top/topsummary.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Callees of a caller take this share of its time, or it is no caller. */
#define CALLEES 0.5

/*
 * A function that has less than this share of its caller's time begins a branch
 * of the program.  Others, as main() in _start(), say nothing new; but for the
 * last one before the next branches.
 */
#define BRANCH 0.9

/*
 * The frames next to the root: the process, and where its threads begin.  In a
 * script there are no others above its functions.
 */
#define ROOT_DEPTH 3

static const char *const class_name[WAIT_CLASSES] = {
	[WAIT_CPU] = "runqueue",    [WAIT_LOCK] = "lock",
	[WAIT_IO] = "I/O",          [WAIT_UNKNOWN] = "waiting",
	[WAIT_STOPPED] = "stopped", [WAIT_IDLE] = "idle"
};

struct summary_row {
	enum wait_class class;
	uint32_t id;    /* a function */
	uint32_t under; /* of one without a name: its caller; or NO_CALLER */
	double weight;
};

#define NO_CALLER UINT32_MAX

/* Rows that are collected before they are sorted. */
struct topsummary {
	struct summary_row *row;
	size_t n, cap;
};

static void
add(struct topsummary *s, struct summary_row row)
{
	s->row = mem_grow(s->row, &s->cap, s->n + 1, sizeof(*s->row));
	s->row[s->n++] = row;
}

/* Code whose function is unknown has the name of its file, "[libc.so.6]". */
static bool
is_nameless(const struct thread_activity *a, uint32_t function)
{
	return str_starts(intern_name(a->function, function), STR("["));
}

/* The function that has a name and called the nameless code of a frame. */
static uint32_t
named_caller(const struct thread_activity *a, uint32_t frame)
{
	while (frame != 0 && is_nameless(a, a->function_of[frame]))
		frame = a->trie->frame[frame].parent;
	return a->trie->frame[frame].parent == 0 ? NO_CALLER :
						   a->function_of[frame];
}

static int
by_function(const void *a, const void *b)
{
	const struct summary_row *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->under > y->under) - (x->under < y->under);
}

static void
merge_equal(struct topsummary *s)
{
	size_t i, n = 0;

	if (s->n > 0)
		qsort(s->row, s->n, sizeof(*s->row), by_function);
	for (i = 0; i < s->n; i++) {
		if (n > 0 && by_function(&s->row[n - 1], &s->row[i]) == 0)
			s->row[n - 1].weight += s->row[i].weight;
		else
			s->row[n++] = s->row[i];
	}
	s->n = n;
}

/* Functions by the time in which they are the leaf, for each class. */
static void
collect_own(struct topsummary *s, const struct thread_activity *a)
{
	uint32_t i, actor, id;

	for (i = 1; i < a->frames; i++) {
		if (a->weight[i] == 0 || !a->shown[a->class[i]])
			continue;
		actor = a->actor[i];
		id = a->function_of[actor];
		add(s,
		    (struct summary_row){ .class = (enum wait_class)a->class[i],
					  .id = id,
					  .under = is_nameless(a, id) ?
						       named_caller(a, actor) :
						       NO_CALLER,
					  .weight = a->weight[i] });
	}
	merge_equal(s);
}

/* A function of a script, "f (a.py)", says more than what runs it. */
static bool
is_scripted(struct str name)
{
	return str_ends(name, STR(")")) &&
	       memmem(name.p, name.len, " (", 2) != NULL;
}

/*
 * For each frame, whether one callee has nearly all of its time, and says as
 * much: it has a name, calls others, and is of a script if the frame is.
 */
static bool *
find_runs(const struct thread_activity *a)
{
	bool *runs_on = mem_zero((size_t)a->frames + 1, sizeof(*runs_on));
	double *own = mem_zero((size_t)a->frames + 1, sizeof(*own));
	uint32_t i, up;

	for (i = 1; i < a->frames; i++)
		if (a->weight[i] > 0 && a->shown[a->class[i]])
			own[a->actor[i]] += a->weight[i];
	for (i = 1; i < a->frames; i++) {
		up = a->trie->frame[i].parent;
		runs_on[up] |= a->inclusive[i] >= BRANCH * a->inclusive[up] &&
			       own[i] < (1 - CALLEES) * a->inclusive[i] &&
			       !is_nameless(a, a->function_of[i]) &&
			       (is_scripted(thread_activity_name(a, i)) ||
				!is_scripted(thread_activity_name(a, up)));
	}
	free(own);
	return runs_on;
}

/*
 * For each function, the time of the branches that it begins; and for the last
 * of the callers that all have, its time.
 */
static double *
sum_branches(const struct thread_activity *a)
{
	double *sum = mem_zero(intern_size(a->function) + 1, sizeof(*sum));
	uint32_t *depth = mem_zero((size_t)a->frames + 1, sizeof(*depth)), i,
		 up;
	bool *in_branch = mem_zero((size_t)a->frames + 1, sizeof(*in_branch));
	bool *runs_on = find_runs(a), begins, deep;

	/* Callers come before their callees. */
	for (i = 1; i < a->frames; i++) {
		up = a->trie->frame[i].parent;
		depth[i] = depth[up] + 1;
		deep = depth[i] > ROOT_DEPTH ||
		       is_scripted(thread_activity_name(a, i));
		begins = deep && a->inclusive[i] < BRANCH * a->inclusive[up];
		in_branch[i] = in_branch[up] || begins;
		if (a->is_outermost[i] && deep &&
		    (begins || (!in_branch[i] && !runs_on[i])))
			sum[a->function_of[i]] += a->inclusive[i];
	}
	free(runs_on);
	free(in_branch);
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
		if (self < (1 - CALLEES) * branches[i] && !is_nameless(a, i) &&
		    !str_starts(intern_name(a->function, i), STR("state:")))
			add(s, (struct summary_row){ .id = i,
						     .under = NO_CALLER,
						     .weight = branches[i] });
	}
	free(branches);
}

static int
by_weight(const void *a, const void *b)
{
	const struct summary_row *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return by_function(x, y);
}

/* Columns of a row's names; what a thread waits for comes after them. */
#define NAME_END 78
#define MODULE_COLUMNS 30

static void
draw_row(struct top *t, const struct summary_row *r)
{
	struct canvas *c = &t->canvas;
	const struct intern *function = t->activity.function;

	canvas_printf(c, "%5.1f%%  ", 100 * r->weight / t->weight);
	if (r->under == NO_CALLER) {
		canvas_name(c, intern_name(function, r->id),
			    NAME_END - c->column);
	} else {
		canvas_name(c, intern_name(function, r->id), MODULE_COLUMNS);
		canvas_text(c, ", called by ");
		canvas_name(c, intern_name(function, r->under),
			    NAME_END - c->column);
	}
	if (r->class != WAIT_NONE)
		canvas_printf(c, "  (%s)", class_name[r->class]);
	canvas_line(c);
}

static void
draw_rows(struct top *t, struct topsummary *s)
{
	size_t i;

	if (s->n > 0)
		qsort(s->row, s->n, sizeof(*s->row), by_weight);
	for (i = 0; i < s->n && i < t->rows; i++)
		draw_row(t, &s->row[i]);
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
		draw_rows(t, &own);
		collect_callers(&callers, &t->activity);
	}
	if (callers.n > 0) {
		canvas_text(c, " TOTAL  with callees");
		canvas_line(c);
	}
	draw_rows(t, &callers);
}
