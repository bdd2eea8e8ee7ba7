/* perforder.c - records put into the order of their times. */
#include "perforder.h"

#include "mem.h"

#include <stdlib.h>

void
perforder_add(struct perf_order *o, uint64_t time, uint64_t number,
	      struct str record)
{
	o->wait = mem_grow(o->wait, &o->cap, o->n + 1, sizeof(*o->wait));
	o->wait[o->n++] = (struct perf_wait){ time, number, o->bytes.len,
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
	const struct perf_wait *a = p, *b = q;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Forget what went, and keep the bytes of the others together. */
static void
compact(struct perf_order *o)
{
	struct buf bytes = { 0 };
	size_t i;

	for (i = o->next; i < o->n; i++) {
		o->wait[i - o->next] = o->wait[i];
		o->wait[i - o->next].at = bytes.len;
		buf_add(&bytes, o->bytes.p + o->wait[i].at, o->wait[i].len);
	}
	o->n -= o->next;
	o->sorted -= o->next;
	o->next = o->ready = 0;
	buf_free(&o->bytes);
	o->bytes = bytes;
}

/* Let all go that are not younger than a time. */
static void
release(struct perf_order *o, uint64_t limit)
{
	size_t i;

	if (o->next == o->n)
		return;
	/* Once half is gone, so that a record is moved a few times at most. */
	if (o->next > o->n / 2)
		compact(o);
	qsort(o->wait + o->next, o->n - o->next, sizeof(*o->wait), compare);
	for (i = o->next; i < o->n && o->wait[i].time <= limit; i++)
		continue;
	o->ready = i;
	o->sorted = o->n;
}

void
perforder_round(struct perf_order *o)
{
	/*
	 * Sorting waits until it is worth its while: else a file of many
	 * rounds, each with one record more, would be sorted for ever.
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
	const struct perf_wait *w;

	if (o->next == o->ready)
		return false;
	w = &o->wait[o->next];
	*number = w->number;
	*record = (struct str){ o->bytes.p + w->at, w->len };
	o->next++;
	return true;
}

void
perforder_free(struct perf_order *o)
{
	free(o->wait);
	buf_free(&o->bytes);
	*o = (struct perf_order){ 0 };
}
