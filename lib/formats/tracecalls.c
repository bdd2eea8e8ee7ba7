/* tracecalls.c - turns trace events with a begin and an end into stacks. */
#include "formats/tracecalls.h"

#include "base/mem.h"
#include "io/extsort.h"

#include <stdlib.h>

/* What all events of a thread show. */
struct thread_times {
	int64_t last;    /* when the last event ended */
	int64_t ts, end; /* of the previous X in the file */
	/* Number of X around the previous X, less the number inside of it. */
	int64_t outward;
};

/* A call that contains the current event of a thread. */
struct open_call {
	int64_t end, self;
};

struct tracecalls {
	struct input *in;
	struct sink *out;
	const struct tracethreads *threads;
	struct extsort *ends;   /* B and E, by time */
	struct extsort *events; /* X and pairs of B and E, outer ones first */
	int64_t n;
	struct thread_times *thread; /* by number */
	size_t nthreads, thread_cap;
	struct tracecalls_event *open; /* B without E; then X of equal times */
	size_t nopen, open_cap;
	struct open_call *call;
	uint32_t current; /* thread of the calls */
	int64_t now;      /* for a stream: what is before has been pushed */
	size_t depth, call_cap;
	uint32_t *stack; /* their tokens */
	size_t stack_cap;
};

/*
 * Find out whether the events of a thread are written as they end, inner ones
 * first: each event is then around the previous one more often than inside it.
 */
static void
note_event(struct tracecalls *t, const struct tracecalls_event *e)
{
	static const struct thread_times none = { INT64_MIN, INT64_MAX,
						  INT64_MAX, 0 };
	struct thread_times *thread;

	t->thread = mem_grow(t->thread, &t->thread_cap, (size_t)e->thread + 1,
			     sizeof(*t->thread));
	while (t->nthreads <= e->thread)
		t->thread[t->nthreads++] = none; /* some have samples only */
	thread = &t->thread[e->thread];
	if (e->end > thread->last)
		thread->last = e->end;
	if (e->phase != 'X')
		return;
	if (e->ts <= thread->ts && e->end >= thread->end)
		thread->outward++;
	if (e->ts >= thread->ts && e->end <= thread->end)
		thread->outward--;
	thread->ts = e->ts;
	thread->end = e->end;
}

void
tracecalls_add(struct tracecalls *t, const struct tracecalls_event *event)
{
	struct tracecalls_event e = *event;

	e.order = t->n++;
	note_event(t, &e);
	if (e.phase != 'X')
		extsort_add(t->ends, &e);
	else if (e.wanted)
		extsort_add(t->events, &e);
}

static int
compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_time(const void *x, const void *y)
{
	const struct tracecalls_event *a = x, *b = y;
	int order = compare(a->thread, b->thread);

	if (order == 0)
		order = compare(a->ts, b->ts);
	return order != 0 ? order : compare(a->order, b->order);
}

/* Outer events before those inside them. */
static int
by_nesting(const void *x, const void *y)
{
	const struct tracecalls_event *a = x, *b = y;
	int order = compare(a->thread, b->thread);

	if (order == 0)
		order = compare(a->ts, b->ts);
	if (order == 0)
		order = compare(b->end, a->end);
	return order != 0 ? order : compare(a->order, b->order);
}

static void
push_open(struct tracecalls *t, const struct tracecalls_event *e)
{
	t->open = mem_grow(t->open, &t->open_cap, t->nopen + 1, sizeof(*e));
	t->open[t->nopen++] = *e;
}

/* End the innermost event; returns whether it is wanted. */
static bool
pop_open(struct tracecalls *t, int64_t end)
{
	struct tracecalls_event *e = &t->open[--t->nopen];

	e->end = end;
	if (e->wanted)
		extsort_add(t->events, e);
	return e->wanted;
}

/* Events that never end last until the last event of the thread. */
static void
close_all(struct tracecalls *t, uint32_t thread)
{
	while (t->nopen > 0) {
		if (pop_open(t, t->thread[thread].last))
			input_bad(t->in, "an event never ends");
	}
}

/* Give each B the time of its E. */
static void
pair_events(struct tracecalls *t)
{
	const struct tracecalls_event *e;
	uint32_t thread = 0;

	while ((e = extsort_next(t->ends)) != NULL) {
		if (e->thread != thread)
			close_all(t, thread);
		thread = e->thread;
		if (e->phase == 'B')
			push_open(t, e);
		else if (t->nopen > 0)
			pop_open(t, e->ts);
		else if (e->wanted)
			input_bad(t->in, "an event ends that did not begin");
	}
	close_all(t, thread);
}

/*
 * Push ns of the innermost call's own time.  A call without own time gives no
 * sample: many of them may be nested.
 */
static void
push_time(struct tracecalls *t, uint64_t ns)
{
	struct sample sample;

	if (ns == 0)
		return;
	sample = tracethreads_sample(t->threads, t->current);
	sample.unit = STR("us");
	sample.ns = ns;
	sample.has_time = sink_is_stream(t->out) && t->now >= 0;
	sample.time = (uint64_t)t->now;
	if (!sink_begin(t->out, &sample))
		return;
	sink_push(t->out, t->stack, t->depth);
	sink_end(t->out,
		 (struct count){ ns / 1000, (uint32_t)(ns % 1000) * 1000 });
}

/* In a stream, push what the innermost call did on its own until a time. */
static void
push_until(struct tracecalls *t, int64_t end)
{
	if (t->depth > 0 && end > t->now)
		push_time(t, (uint64_t)end - (uint64_t)t->now);
	t->now = end;
}

/* End the innermost call; its own time is without that of its calls. */
static void
pop_call(struct tracecalls *t)
{
	const struct open_call *call = &t->call[t->depth - 1];

	if (sink_is_stream(t->out))
		push_until(t, call->end);
	else
		push_time(t, (uint64_t)call->self);
	t->depth--;
}

static void
push_call(struct tracecalls *t, const struct tracecalls_event *e)
{
	struct open_call *caller = t->depth > 0 ? &t->call[t->depth - 1] : NULL;
	int64_t end = e->end;

	if (caller != NULL && end > caller->end) {
		input_bad(t->in, "an event ends after the enclosing event");
		end = caller->end;
	}
	if (caller != NULL)
		caller->self -= end - e->ts;
	if (sink_is_stream(t->out))
		push_until(t, e->ts);
	t->call = mem_grow(t->call, &t->call_cap, t->depth + 1,
			   sizeof(*t->call));
	t->stack = mem_grow(t->stack, &t->stack_cap, t->depth + 1,
			    sizeof(*t->stack));
	t->stack[t->depth] = e->token;
	t->call[t->depth++] = (struct open_call){ end, end - e->ts };
}

static void
fold_event(struct tracecalls *t, const struct tracecalls_event *e)
{
	while (t->depth > 0 &&
	       (e->thread != t->current || t->call[t->depth - 1].end <= e->ts))
		pop_call(t);
	t->current = e->thread;
	push_call(t, e);
}

/* Fold events of one thread and equal times, the last one first. */
static void
fold_ties(struct tracecalls *t)
{
	while (t->nopen > 0)
		fold_event(t, &t->open[--t->nopen]);
}

void
tracecalls_fold(struct tracecalls *t)
{
	const struct tracecalls_event *e, *tie;

	pair_events(t);
	while ((e = extsort_next(t->events)) != NULL) {
		tie = t->open;
		if (t->nopen > 0 && (e->thread != tie->thread ||
				     e->ts != tie->ts || e->end != tie->end))
			fold_ties(t);
		if (t->thread[e->thread].outward > 0)
			push_open(t, e);
		else
			fold_event(t, e);
	}
	fold_ties(t);
	while (t->depth > 0)
		pop_call(t);
}

struct tracecalls *
tracecalls_new(struct input *in, struct sink *out,
	       const struct tracethreads *threads)
{
	struct tracecalls *t = mem_zero(1, sizeof(*t));

	t->in = in;
	t->out = out;
	t->threads = threads;
	t->ends = extsort_new(sizeof(struct tracecalls_event), by_time);
	t->events = extsort_new(sizeof(struct tracecalls_event), by_nesting);
	return t;
}

void
tracecalls_free(struct tracecalls *t)
{
	extsort_free(t->ends);
	extsort_free(t->events);
	free(t->thread);
	free(t->open);
	free(t->call);
	free(t->stack);
	free(t);
}
