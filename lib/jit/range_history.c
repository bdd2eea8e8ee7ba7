/* range_history.c - which owner an address range has at each time. */
#include "jit/range_history.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct range_change {
	uint64_t time, start, end;
	uint32_t owner;
	bool release;
};

/*
 * A segment tree.  Its leaves are the intervals between the starts and ends of
 * all ranges.  Each node lists, in order, the changes that cover its interval
 * and not all of its parent's.  So a change is in few lists, however many
 * leaves it covers, and the changes of an address are in the lists from its
 * leaf up to the root.
 */
struct range_history {
	struct range_change *change;
	size_t n, cap;
	uint64_t *bound; /* leaf i is from bound[i] to before bound[i + 1] */
	size_t leaves;
	uint32_t *list;  /* change numbers, node after node */
	uint32_t *first; /* where a node's list begins; the next one ends it */
};

struct range_history *
range_history_new(void)
{
	return mem_zero(1, sizeof(struct range_history));
}

void
range_history_free(struct range_history *h)
{
	if (h == NULL)
		return;
	free(h->change);
	free(h->bound);
	free(h->list);
	free(h->first);
	free(h);
}

static void
add_change(struct range_history *h, const struct range_change *c)
{
	/* No JIT makes so many; put_change() counts with 32 bits. */
	if (c->start >= c->end || h->n >= UINT32_MAX / 128)
		return;
	h->change = mem_grow(h->change, &h->cap, h->n + 1, sizeof(*h->change));
	h->change[h->n++] = *c;
}

void
range_history_add(struct range_history *h, uint64_t time, uint64_t start,
		  uint64_t end, uint32_t owner)
{
	add_change(h, &(struct range_change){ time, start, end, owner, false });
}

void
range_history_release(struct range_history *h, uint64_t time, uint64_t start,
		      uint64_t end, uint32_t owner)
{
	add_change(h, &(struct range_change){ time, start, end, owner, true });
}

void
range_history_set_times(struct range_history *h,
			uint64_t (*convert)(const void *arg, uint64_t time),
			const void *arg)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		h->change[i].time = convert(arg, h->change[i].time);
}

/* Building. */

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void
find_bounds(struct range_history *h)
{
	size_t i, n = 0;

	h->bound = mem_alloc((2 * h->n + 1) * sizeof(*h->bound));
	for (i = 0; i < h->n; i++) {
		h->bound[2 * i] = h->change[i].start;
		h->bound[2 * i + 1] = h->change[i].end;
	}
	qsort(h->bound, 2 * h->n, sizeof(*h->bound), by_value);
	for (i = 0; i < 2 * h->n; i++)
		if (n == 0 || h->bound[n - 1] != h->bound[i])
			h->bound[n++] = h->bound[i];
	h->leaves = n > 0 ? n - 1 : 0;
}

/* How many bounds are at or below an address. */
static size_t
count_bounds(const struct range_history *h, uint64_t address)
{
	size_t low = 0, high = h->n == 0 ? 0 : h->leaves + 1, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (h->bound[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Add change i to the lists of its nodes, which end at end[]; before the lists
 * are allocated, only count.  Leaf k is node leaves + k, the parent of node k
 * is k / 2.
 */
static void
put_change(struct range_history *h, uint32_t i, uint32_t *end)
{
	size_t l = count_bounds(h, h->change[i].start) - 1 + h->leaves;
	size_t r = count_bounds(h, h->change[i].end) - 1 + h->leaves;

	for (; l < r; l /= 2, r /= 2) {
		if (l % 2 == 1) {
			if (h->list != NULL)
				h->list[end[l]] = i;
			end[l++]++;
		}
		if (r % 2 == 1) {
			r--;
			if (h->list != NULL)
				h->list[end[r]] = i;
			end[r]++;
		}
	}
}

static void
put_changes(struct range_history *h, uint32_t *end)
{
	uint32_t i;

	for (i = 0; i < h->n; i++)
		put_change(h, i, end);
}

void
range_history_sort(struct range_history *h)
{
	size_t nodes, i;
	uint32_t *end, sum = 0, count;

	free(h->bound);
	free(h->list);
	free(h->first);
	h->list = NULL; /* for put_change() */
	find_bounds(h);
	nodes = 2 * h->leaves;
	end = mem_zero(nodes + 1, sizeof(*end));
	h->first = mem_zero(nodes + 1, sizeof(*h->first));
	put_changes(h, end);
	for (i = 0; i < nodes; i++) {
		count = end[i];
		h->first[i] = end[i] = sum;
		sum += count;
	}
	h->first[nodes] = sum;
	h->list = mem_alloc(((size_t)sum + 1) * sizeof(*h->list));
	put_changes(h, end);
	free(end);
}

/* Lookups. */

/* The node of an address; 0, which is no node, below or above all ranges. */
static size_t
find_leaf(const struct range_history *h, uint64_t address)
{
	size_t n = count_bounds(h, address);

	return n == 0 || n > h->leaves ? 0 : h->leaves + n - 1;
}

/* The place in a node's list of the first change from number on. */
static uint32_t
find_place(const struct range_history *h, size_t node, uint32_t number)
{
	uint32_t low = h->first[node], high = h->first[node + 1], mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (h->list[mid] < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The last change of a leaf before number, or number if there is none. */
static uint32_t
last_before(const struct range_history *h, size_t leaf, uint32_t number)
{
	uint32_t last = number, place;
	size_t node;

	for (node = leaf; node > 0; node /= 2) {
		place = find_place(h, node, number);
		if (place > h->first[node] &&
		    (last == number || h->list[place - 1] > last))
			last = h->list[place - 1];
	}
	return last;
}

/* The first change of a leaf from number on, or h->n. */
static uint32_t
first_from(const struct range_history *h, size_t leaf, uint32_t number)
{
	uint32_t first = (uint32_t)h->n, place;
	size_t node;

	for (node = leaf; node > 0; node /= 2) {
		place = find_place(h, node, number);
		if (place < h->first[node + 1] && h->list[place] < first)
			first = h->list[place];
	}
	return first;
}

/* How many changes are at or before a time. */
static uint32_t
count_changes(const struct range_history *h, uint64_t time)
{
	size_t low = 0, high = h->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (h->change[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return (uint32_t)low;
}

/* How many releases in a row are searched for an earlier owner. */
enum { RELEASES = 64 };

bool
range_history_at(const struct range_history *h, uint64_t address, uint64_t time,
		 uint32_t *owner, uint64_t *since)
{
	size_t leaf = find_leaf(h, address), n = 0, k;
	uint32_t number = count_changes(h, time), i, released[RELEASES];
	const struct range_change *c;

	for (; (i = last_before(h, leaf, number)) < number; number = i) {
		c = &h->change[i];
		if (c->release && n == RELEASES)
			return false;
		if (c->release) {
			released[n++] = c->owner;
			continue;
		}
		/* A release counts only for the owner that it names. */
		for (k = 0; k < n && released[k] != c->owner; k++)
			;
		*owner = c->owner;
		*since = c->time;
		return k == n && c->owner != RANGE_HISTORY_NOBODY;
	}
	return false;
}

bool
range_history_after(const struct range_history *h, uint64_t address,
		    uint64_t time, uint32_t *owner, uint64_t *when)
{
	size_t leaf = find_leaf(h, address);
	uint32_t number = count_changes(h, time);

	for (;; number++) {
		number = first_from(h, leaf, number);
		if (number >= h->n)
			return false;
		if (!h->change[number].release &&
		    h->change[number].owner != RANGE_HISTORY_NOBODY)
			break;
	}
	*owner = h->change[number].owner;
	*when = h->change[number].time;
	return true;
}

uint64_t
range_history_changes(const struct range_history *h, uint64_t time)
{
	return count_changes(h, time);
}
