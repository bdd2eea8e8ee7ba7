/* perfgroup.c - the counts of a group of events in a sample of its leader. */
#include "perfdata/perfgroup.h"

#include "base/table.h"

struct perf_counter {
	struct perf_counter_key {
		uint64_t id;
		int64_t tid;
	} key;
	uint64_t count; /* in the last sample */
	UT_hash_handle hh;
};

void
perfgroup_begin(struct perf_group *g, const struct perf_record *r, bool swap)
{
	g->left = cursor_of(r->readings, swap);
	g->sample = *r;
	g->unknown = true;
}

/* Each thread has its own counts of events that threads inherit. */
static struct perf_counter *
get_counter(struct perf_group *g, const struct perf_event *ev, uint64_t id)
{
	const int64_t tid = ev->inherited ? g->sample.tid : -1;
	const struct perf_counter_key key = { id, tid };
	struct perf_counter *c;

	HASH_FIND(hh, g->counters, &key, sizeof(key), c);
	if (c == NULL) {
		c = mem_zero(1, sizeof(*c));
		c->key = key;
		HASH_ADD(hh, g->counters, key, sizeof(key), c);
	}
	return c;
}

bool
perfgroup_next(struct perf_group *g, struct perf_events *events,
	       struct perf_record *r)
{
	const struct perf_event *ev;
	struct perf_counter *c;
	uint64_t count, id;

	while (cursor_left(&g->left) > 0) {
		count = cursor_u64(&g->left);
		id = cursor_u64(&g->left);
		if (g->sample.event->read_format & PERF_FORMAT_LOST)
			cursor_u64(&g->left);
		ev = perfattr_by_id(events, id);
		if (ev == NULL)
			continue;
		g->unknown = false;
		c = get_counter(g, ev, id);
		*r = g->sample;
		r->event = ev;
		r->id = id;
		r->period = count < c->count ? count : count - c->count;
		r->has_period = true;
		c->count = count;
		if (r->period > 0)
			return true;
	}
	if (!g->unknown)
		return false;
	*r = g->sample;
	g->unknown = false;
	return true;
}

void
perfgroup_free(struct perf_group *g)
{
	struct perf_counter *c, *next;

	HASH_ITER(hh, g->counters, c, next)
	{
		HASH_DEL(g->counters, c);
		free(c);
	}
	*g = (struct perf_group){ 0 };
}
