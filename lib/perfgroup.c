/* perfgroup.c - the counts of other events that a sample brings along. */
#include "perfgroup.h"

#include "mem.h"

#include <stdlib.h>

void
perfgroup_begin(struct perf_group *g, const struct perf_record *r, bool swap)
{
	g->left = cursor_of(r->readings, swap);
	g->sample = *r;
	g->strange = true;
}

/* Counts of events that threads inherit are those of each thread. */
static uint64_t *
last_of(struct perf_group *g, const struct perf_event *ev, uint64_t id)
{
	const int64_t tid = ev->inherited ? g->sample.tid : -1;
	const uint64_t key[] = { id, (uint64_t)tid };
	uint32_t n, i;

	if (g->counters == NULL)
		g->counters = intern_new();
	n = intern_size(g->counters);
	i = intern_id(g->counters,
		      (struct str){ (const char *)key, sizeof(key) });
	if (i == n) {
		g->last = mem_grow(g->last, &g->cap, (size_t)n + 1,
				   sizeof(*g->last));
		g->last[i] = 0;
	}
	return &g->last[i];
}

bool
perfgroup_next(struct perf_group *g, const struct perf_events *events,
	       struct perf_record *r)
{
	const struct perf_event *ev;
	uint64_t count, id, *last;

	while (cursor_left(&g->left) > 0) {
		count = cursor_u64(&g->left);
		id = cursor_u64(&g->left);
		if (g->sample.event->read_format & PERF_READ_LOST)
			cursor_u64(&g->left);
		ev = perfattr_known(events, id);
		if (ev == NULL)
			continue;
		g->strange = false;
		last = last_of(g, ev, id);
		*r = g->sample;
		r->event = ev;
		r->id = id;
		r->period = count < *last ? count : count - *last;
		r->has_period = true;
		*last = count;
		if (r->period > 0)
			return true;
	}
	/* Then it is what it is. */
	if (!g->strange)
		return false;
	*r = g->sample;
	g->strange = false;
	return true;
}

void
perfgroup_free(struct perf_group *g)
{
	if (g->counters != NULL)
		intern_free(g->counters);
	free(g->last);
	*g = (struct perf_group){ 0 };
}
