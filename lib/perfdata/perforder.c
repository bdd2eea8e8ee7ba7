/* perforder.c - a queue that sorts records by time. */
#include "perfdata/perforder.h"

#include "base/mem.h"

#include <stdlib.h>

void
perforder_add(struct perf_order *o, uint64_t time, uint64_t number,
	      struct str record)
{
	o->queue = mem_grow(o->queue, &o->cap, o->n + 1, sizeof(*o->queue));
	o->queue[o->n++] = (struct perf_queued){ time, number, o->bytes.len,
						 record.len };
	buf_str(&o->bytes, record);
	if (o->bytes.len > o->most)
		o->most = o->bytes.len;
	if (time > o->newest)
		o->newest = time;
}

static int
compare(const void *p, const void *q)
{
	const struct perf_queued *a = p, *b = q;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Remove the records that have left, and move the others together. */
static void
compact(struct perf_order *o)
{
	struct buf bytes = { 0 };
	size_t i;

	for (i = o->next; i < o->n; i++) {
		o->queue[i - o->next] = o->queue[i];
		o->queue[i - o->next].at = bytes.len;
		buf_add(&bytes, o->bytes.p + o->queue[i].at, o->queue[i].len);
	}
	o->n -= o->next;
	o->sorted -= o->next;
	o->next = o->ready = 0;
	buf_free(&o->bytes);
	o->bytes = bytes;
}

/* Let all records leave that are not newer than limit. */
static void
release(struct perf_order *o, uint64_t limit)
{
	size_t i;

	if (o->next == o->n)
		return;
	/* Only when half have left, so that a record moves only a few times. */
	if (o->next > o->n / 2)
		compact(o);
	qsort(o->queue + o->next, o->n - o->next, sizeof(*o->queue), compare);
	for (i = o->next; i < o->n && o->queue[i].time <= limit; i++)
		continue;
	o->ready = i;
	o->sorted = o->n;
}

void
perforder_round(struct perf_order *o)
{
	/*
	 * Sort only when enough records are new.  Otherwise a file of many
	 * rounds with one record each would take quadratic time.
	 */
	if (o->n - o->sorted >= (o->n - o->next) / 8)
		release(o, o->previous);
	o->previous = o->newest;
}

void
perforder_end(struct perf_order *o)
{
	release(o, UINT64_MAX);
}

bool
perforder_next(struct perf_order *o, uint64_t *number, struct str *record)
{
	const struct perf_queued *q;

	if (o->next == o->ready)
		return false;
	q = &o->queue[o->next];
	*number = q->number;
	*record = (struct str){ o->bytes.p + q->at, q->len };
	o->next++;
	return true;
}

void
perforder_free(struct perf_order *o)
{
	free(o->queue);
	buf_free(&o->bytes);
	*o = (struct perf_order){ 0 };
}
