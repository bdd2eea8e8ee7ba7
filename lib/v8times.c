/* v8times.c - for how long each sample of V8's profiler lasted. */
#include "v8times.h"

#include "mem.h"
#include "sorter.h"

#include <stdbool.h>
#include <stdlib.h>

struct seen {
	int64_t us, order;
	uint32_t profile, node;
	bool is_end;
};

struct v8times {
	struct sorter *seen;
	int64_t n;
	bool started;
	struct seen last; /* of them that was taken */
	struct v8span span;
};

static int
compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int
by_time(const void *x, const void *y)
{
	const struct seen *a = x, *b = y;
	int order = compare(a->profile, b->profile);

	if (order == 0)
		order = compare(a->us, b->us);
	return order != 0 ? order : compare(a->order, b->order);
}

struct v8times *
v8times_new(void)
{
	struct v8times *t = mem_zero(1, sizeof(*t));

	t->seen = sorter_new(sizeof(struct seen), by_time);
	return t;
}

void
v8times_free(struct v8times *t)
{
	sorter_free(t->seen);
	free(t);
}

static void
add(struct v8times *t, struct seen seen)
{
	seen.order = t->n++;
	sorter_add(t->seen, &seen);
}

void
v8times_add(struct v8times *t, uint32_t profile, uint32_t node, int64_t us)
{
	add(t, (struct seen){ .us = us, .profile = profile, .node = node });
}

void
v8times_end(struct v8times *t, uint32_t profile, int64_t us)
{
	add(t, (struct seen){ .us = us, .profile = profile, .is_end = true });
}

/* The next record; what it leaves behind is the last one. */
static bool
take(struct v8times *t)
{
	const struct seen *next = sorter_next(t->seen);

	t->span.us = 0;
	if (next != NULL && next->profile == t->last.profile)
		t->span.us = (uint64_t)next->us - (uint64_t)t->last.us;
	t->span.profile = t->last.profile;
	t->span.node = t->last.node;
	if (next != NULL)
		t->last = *next;
	return next != NULL;
}

const struct v8span *
v8times_next(struct v8times *t)
{
	bool was_end;

	if (!t->started && !take(t))
		return NULL;
	t->started = true;
	do {
		was_end = t->last.is_end;
		if (!take(t))
			return NULL;
	} while (was_end);
	return &t->span;
}
