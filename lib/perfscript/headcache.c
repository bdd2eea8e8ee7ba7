/* headcache.c - a cache of parsed head lines of perf script samples. */
#include "perfscript/headcache.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "folded/event.h"

#include <stdlib.h>

#define BITS 8

struct headcache_slot {
	struct buf text;           /* the line that was parsed last */
	struct perfline_head head; /* slices into text */
	size_t time, time_end;     /* offsets in text */
	size_t period, period_end;
};

struct headcache {
	uint64_t seed;
	/* The last slot is for heads that no later one can match. */
	struct headcache_slot slot[(1 << BITS) + 1];
};

struct headcache *
headcache_new(void)
{
	struct headcache *c = mem_zero(1, sizeof(*c));

	c->seed = hash_seed() | 1;
	return c;
}

void
headcache_free(struct headcache *c)
{
	size_t i;

	for (i = 0; i <= 1 << BITS; i++)
		buf_free(&c->slot[i].text);
	free(c);
}

/* The heads of one thread start with the same bytes. */
static struct headcache_slot *
slot_of(struct headcache *c, const char *p)
{
	uint64_t key[2];

	memcpy(key, p, sizeof(key));
	return &c->slot[(key[0] ^ key[1] * 0x9e3779b97f4a7c15u) * c->seed >>
			(64 - BITS)];
}

/*
 * Whether the line differs from the slot's only in time and period.  If so,
 * read both into the slot's head.
 */
static bool
match(struct headcache_slot *slot, struct str line)
{
	struct perfline_head *h = &slot->head;
	const char *text = slot->text.p, *time = line.p + slot->time, *tail;
	size_t gap = slot->period - slot->time_end,
	       tail_len = slot->text.len - slot->period_end;
	struct str period;

	if (slot->time_end == 0 || line.len < slot->period + tail_len)
		return false;
	tail = line.p + line.len - tail_len;
	if (memcmp(line.p, text, slot->time) != 0 ||
	    memcmp(line.p + slot->time_end, text + slot->time_end, gap) != 0 ||
	    memcmp(tail, text + slot->period_end, tail_len) != 0)
		return false;
	period = str_range(line.p + slot->period, tail);
	return perfline_time(str_range(time, line.p + slot->time_end),
			     &h->time) &&
	       (slot->period_end == slot->period ? period.len == 0 :
						   str_u64(period, &h->period));
}

/* Store a line and its head, whose slices then point into the copy. */
static void
store(struct headcache_slot *slot, struct str line,
      const struct perfline_head *h)
{
	const char *base;

	slot->text.len = 0;
	buf_str(&slot->text, line);
	base = slot->text.p;
	slot->head = *h;
	slot->head.comm.p = base + (h->comm.p - line.p);
	slot->head.event.p = base + (h->event.p - line.p);
	slot->head.rest.p = base + (h->rest.p - line.p);
	slot->head.unit = h->period_text.len > 0 ?
			      event_unit(slot->head.event) :
			      STR("samples");
	slot->time = (size_t)(h->time_text.p - line.p);
	slot->time_end = slot->time + h->time_text.len;
	slot->period = (size_t)(h->period_text.p - line.p);
	slot->period_end = slot->period + h->period_text.len;
}

const struct perfline_head *
headcache_read(struct headcache *c, struct str line)
{
	struct headcache_slot *slot = slot_of(c, line.p);
	struct perfline_head head;

	if (match(slot, line))
		return &slot->head;
	if (!perfline_head(line, &head))
		return NULL;
	if (!head.has_time || head.rest.len > 0 || head.event.len == 0 ||
	    head.huge)
		slot = &c->slot[1 << BITS];
	store(slot, line, &head);
	return &slot->head;
}
