/* v8times.c - the duration of each sample of V8's profiler. */
#include "formats/v8times.h"

#include "base/mem.h"
#include "io/extsort.h"

#include <stdbool.h>
#include <stdlib.h>

struct v8times_record {
	int64_t us, order;
	uint32_t profile, node;
	bool is_end;
};

struct v8times {
	struct extsort *records;
	int64_t n;
	bool started;
	struct v8times_record last;
	struct v8times_span span;
};

static int
compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_time(const void *x, const void *y)
{
	const struct v8times_record *a = x, *b = y;
	int order = compare(a->profile, b->profile);

	if (order == 0)
		order = compare(a->us, b->us);
	return order != 0 ? order : compare(a->order, b->order);
}

struct v8times *
v8times_new(void)
{
	struct v8times *t = mem_zero(1, sizeof(*t));

	t->records = extsort_new(sizeof(struct v8times_record), by_time);
	return t;
}

void
v8times_free(struct v8times *t)
{
	extsort_free(t->records);
	free(t);
}

static void
add(struct v8times *t, struct v8times_record record)
{
	record.order = t->n++;
	extsort_add(t->records, &record);
}

void
v8times_add(struct v8times *t, uint32_t profile, uint32_t node, int64_t us)
{
	add(t, (struct v8times_record){
		   .us = us, .profile = profile, .node = node });
}

void
v8times_end(struct v8times *t, uint32_t profile, int64_t us)
{
	add(t, (struct v8times_record){
		   .us = us, .profile = profile, .is_end = true });
}

/* Go to the next record, and make t->span from the last one. */
static bool
next_record(struct v8times *t)
{
	const struct v8times_record *next = extsort_next(t->records);

	t->span.us = 0;
	if (next != NULL && next->profile == t->last.profile)
		t->span.us = (uint64_t)next->us - (uint64_t)t->last.us;
	t->span.profile = t->last.profile;
	t->span.node = t->last.node;
	t->span.at = t->last.us;
	if (next != NULL)
		t->last = *next;
	return next != NULL;
}

const struct v8times_span *
v8times_next(struct v8times *t)
{
	bool was_end;

	if (!t->started && !next_record(t))
		return NULL;
	t->started = true;
	do {
		was_end = t->last.is_end;
		if (!next_record(t))
			return NULL;
	} while (was_end);
	return &t->span;
}
