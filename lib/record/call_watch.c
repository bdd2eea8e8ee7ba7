/* call_watch.c - watch a recording for a call that takes long. */
#include "record/call_watch.h"

#include "base/duration.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/*
 * How many open calls of a thread are remembered, the newest ones: calls that
 * an exception ends never return.
 */
enum { MOST_CALLS = 1000 };

struct thread_calls {
	uint64_t *begin; /* ns; 0: the call is over */
	size_t cap;
	uint64_t depth;
};

bool
call_watch_parse(struct call_watch *w, struct str text)
{
	const char *bound = memrchr(text.p, '>', text.len);
	struct str names;

	if (bound == NULL ||
	    !duration_parse(str_range(bound + 1, text.p + text.len), &w->bound))
		return false;
	names = str_range(text.p, bound);
	w->enter = str_cut(&names, ',');
	w->leave = names;
	return w->bound > 0 && w->enter.len > 0 && w->leave.len > 0 &&
	       !str_eq(w->enter, w->leave) && str_find(names, ',') == NULL;
}

void
call_watch_free(struct call_watch *w)
{
	size_t i;

	for (i = 0; i < w->threads; i++)
		free(w->thread[i].begin);
	free(w->thread);
	free(w->edge);
	u64map_free(&w->by_tid);
}

void
call_watch_add(struct call_watch *w, const struct call_edge *edge)
{
	w->edge = mem_grow(w->edge, &w->cap, w->n + 1, sizeof(*w->edge));
	w->edge[w->n++] = *edge;
}

static struct thread_calls *
calls_of(struct call_watch *w, int64_t tid)
{
	uint32_t i;

	if (!u64map_get(&w->by_tid, (uint64_t)tid, &i)) {
		w->thread = mem_grow(w->thread, &w->threads_cap, w->threads + 1,
				     sizeof(*w->thread));
		i = (uint32_t)w->threads++;
		w->thread[i] = (struct thread_calls){ 0 };
		u64map_put(&w->by_tid, (uint64_t)tid, i);
	}
	return &w->thread[i];
}

/* Returns how long the call took that this ends; 0 if it ends none. */
static uint64_t
follow(const struct call_watch *w, struct thread_calls *t,
       const struct call_edge *e)
{
	const uint64_t most = w->last ? 1 : MOST_CALLS;
	uint64_t *begin, began;

	if (!e->ends) {
		t->depth++;
		if (t->cap < most && t->depth >= t->cap)
			t->begin = mem_grow(t->begin, &t->cap, t->depth + 1,
					    sizeof(*t->begin));
		t->begin[t->depth % most] = e->time;
		return 0;
	}
	if (t->depth == 0)
		return 0;
	begin = &t->begin[t->depth-- % most];
	began = *begin;
	*begin = 0;
	return began > 0 ? e->time - began : 0;
}

static int
by_time(const void *a, const void *b)
{
	const struct call_edge *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

bool
call_watch_pass(struct call_watch *w, uint64_t began)
{
	uint64_t took;
	size_t i;

	if (w->n > 0)
		qsort(w->edge, w->n, sizeof(*w->edge), by_time);
	for (i = 0; i < w->n && w->edge[i].time < w->complete; i++) {
		took = follow(w, calls_of(w, w->edge[i].tid), &w->edge[i]);
		if (took > w->bound && w->took == 0)
			w->took = took;
	}
	w->n -= i;
	if (i > 0)
		memmove(w->edge, w->edge + i, w->n * sizeof(*w->edge));
	w->complete = began;
	return w->took > 0;
}
