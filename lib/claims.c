/* claims.c - who holds an address at which time. */
#include "claims.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

struct event {
	uint64_t time, start, end;
	uint32_t owner;
	bool release;
};

/*
 * A segment tree over the places where a range begins or ends.  A node
 * stands for an interval and lists the events that cover all of it and not
 * all of its parent, in their order.  So an event is in few lists, however
 * many ranges it covers, and all events of an address are in the lists on the
 * way from a leaf to the root.
 */
struct claims {
	struct event *event;
	size_t n, cap;
	uint64_t *bound; /* leaf i is from bound[i] to before bound[i + 1] */
	size_t leaves;
	uint32_t *list;  /* event numbers, node after node */
	uint32_t *first; /* where a node's list begins, ends at the next */
};

struct claims *
claims_new(void)
{
	return mem_zero(1, sizeof(struct claims));
}

void
claims_free(struct claims *c)
{
	if (c == NULL)
		return;
	free(c->event);
	free(c->bound);
	free(c->list);
	free(c->first);
	free(c);
}

static void
tell(struct claims *c, const struct event *e)
{
	/* More than 32 bits count is no JIT's doing. */
	if (e->start >= e->end || c->n >= UINT32_MAX / 128)
		return;
	c->event = mem_grow(c->event, &c->cap, c->n + 1, sizeof(*c->event));
	c->event[c->n++] = *e;
}

void
claims_add(struct claims *c, uint64_t time, uint64_t start, uint64_t end,
	   uint32_t owner)
{
	tell(c, &(struct event){ time, start, end, owner, false });
}

void
claims_release(struct claims *c, uint64_t time, uint64_t start, uint64_t end,
	       uint32_t owner)
{
	tell(c, &(struct event){ time, start, end, owner, true });
}

void
claims_set_times(struct claims *c,
		 uint64_t (*other)(const void *arg, uint64_t time),
		 const void *arg)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		c->event[i].time = other(arg, c->event[i].time);
}

/* Building. */

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
find_bounds(struct claims *c)
{
	size_t i, n = 0;

	c->bound = mem_alloc((2 * c->n + 1) * sizeof(*c->bound));
	for (i = 0; i < c->n; i++) {
		c->bound[2 * i] = c->event[i].start;
		c->bound[2 * i + 1] = c->event[i].end;
	}
	qsort(c->bound, 2 * c->n, sizeof(*c->bound), by_value);
	for (i = 0; i < 2 * c->n; i++)
		if (n == 0 || c->bound[n - 1] != c->bound[i])
			c->bound[n++] = c->bound[i];
	c->leaves = n > 0 ? n - 1 : 0;
}

/* How many bounds are not above an address. */
static size_t
bounds_to(const struct claims *c, uint64_t address)
{
	size_t low = 0, high = c->n == 0 ? 0 : c->leaves + 1, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (c->bound[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Put event i into the lists of its nodes; count only, where lists are not
 * there yet.  Leaf k is node leaves + k, the parent of node k is k / 2.
 */
static void
put_event(struct claims *c, uint32_t i, uint32_t *end)
{
	size_t l = bounds_to(c, c->event[i].start) - 1 + c->leaves;
	size_t r = bounds_to(c, c->event[i].end) - 1 + c->leaves;

	for (; l < r; l /= 2, r /= 2) {
		if (l % 2 == 1) {
			if (c->list != NULL)
				c->list[end[l]] = i;
			end[l++]++;
		}
		if (r % 2 == 1) {
			r--;
			if (c->list != NULL)
				c->list[end[r]] = i;
			end[r]++;
		}
	}
}

static void
put_events(struct claims *c, uint32_t *end)
{
	uint32_t i;

	for (i = 0; i < c->n; i++)
		put_event(c, i, end);
}

void
claims_sort(struct claims *c)
{
	size_t nodes, i;
	uint32_t *end, sum = 0, count;

	free(c->bound);
	free(c->list);
	free(c->first);
	c->list = NULL; /* which put_event() sees */
	find_bounds(c);
	nodes = 2 * c->leaves;
	end = mem_zero(nodes + 1, sizeof(*end));
	c->first = mem_zero(nodes + 1, sizeof(*c->first));
	put_events(c, end);
	for (i = 0; i < nodes; i++) {
		count = end[i];
		c->first[i] = end[i] = sum;
		sum += count;
	}
	c->first[nodes] = sum;
	c->list = mem_alloc(((size_t)sum + 1) * sizeof(*c->list));
	put_events(c, end);
	free(end);
}

/* Questions. */

/* The node of an address; 0, which is none, if nobody ever claimed it. */
static size_t
leaf_of(const struct claims *c, uint64_t address)
{
	size_t n = bounds_to(c, address);

	return n == 0 || n > c->leaves ? 0 : c->leaves + n - 1;
}

/* Of a node's list, the place of the first event not before number. */
static uint32_t
lower(const struct claims *c, size_t node, uint32_t number)
{
	uint32_t low = c->first[node], high = c->first[node + 1], mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (c->list[mid] < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The last event of a leaf before number, or number itself if none is. */
static uint32_t
last_before(const struct claims *c, size_t leaf, uint32_t number)
{
	uint32_t last = number, place;
	size_t node;

	for (node = leaf; node > 0; node /= 2) {
		place = lower(c, node, number);
		if (place > c->first[node] &&
		    (last == number || c->list[place - 1] > last))
			last = c->list[place - 1];
	}
	return last;
}

/* The first event of a leaf from number on, or c->n. */
static uint32_t
first_from(const struct claims *c, size_t leaf, uint32_t number)
{
	uint32_t first = (uint32_t)c->n, place;
	size_t node;

	for (node = leaf; node > 0; node /= 2) {
		place = lower(c, node, number);
		if (place < c->first[node + 1] && c->list[place] < first)
			first = c->list[place];
	}
	return first;
}

/* How many events are not later than a time. */
static uint32_t
events_to(const struct claims *c, uint64_t time)
{
	size_t low = 0, high = c->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (c->event[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return (uint32_t)low;
}

/* How many releases stand one behind another before nobody looks back. */
enum { RELEASES = 64 };

bool
claims_at(const struct claims *c, uint64_t address, uint64_t time,
	  uint32_t *owner, uint64_t *since)
{
	size_t leaf = leaf_of(c, address), n = 0, k;
	uint32_t number = events_to(c, time), i, released[RELEASES];
	const struct event *e;

	for (; (i = last_before(c, leaf, number)) < number; number = i) {
		e = &c->event[i];
		if (e->release && n == RELEASES)
			return false;
		if (e->release) {
			released[n++] = e->owner;
			continue;
		}
		/* What was let go counts only if it was still held. */
		for (k = 0; k < n && released[k] != e->owner; k++)
			;
		*owner = e->owner;
		*since = e->time;
		return k == n && e->owner != CLAIMS_NOBODY;
	}
	return false;
}

bool
claims_after(const struct claims *c, uint64_t address, uint64_t time,
	     uint32_t *owner, uint64_t *when)
{
	size_t leaf = leaf_of(c, address);
	uint32_t number = events_to(c, time);

	for (;; number++) {
		number = first_from(c, leaf, number);
		if (number >= c->n)
			return false;
		if (!c->event[number].release &&
		    c->event[number].owner != CLAIMS_NOBODY)
			break;
	}
	*owner = c->event[number].owner;
	*when = c->event[number].time;
	return true;
}

uint64_t
claims_changes(const struct claims *c, uint64_t time)
{
	return events_to(c, time);
}
