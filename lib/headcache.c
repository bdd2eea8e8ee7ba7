/* headcache.c - heads of perf script samples, recognised when they recur. */
#include "headcache.h"

#include "buf.h"
#include "event.h"
#include "mem.h"

#include <stdlib.h>

#define BITS 8

struct slot {
	struct buf text;
	struct perfline_head head; /* slices into text */
	size_t time, time_end;     /* places in text */
	size_t period, period_end;
};

/* One slot more, for heads that have nothing in common with others. */
struct headcache {
	struct slot slot[(1 << BITS) + 1];
};

struct headcache *
headcache_new(void)
{
	return mem_zero(1, sizeof(struct headcache));
}

void
headcache_free(struct headcache *c)
{
	size_t i;

	for (i = 0; i <= 1 << BITS; i++)
		buf_free(&c->slot[i].text);
	free(c);
}

/* The heads of one thread have their first bytes in common. */
static struct slot *
slot_of(struct headcache *c, const char *p)
{
	uint64_t key[2];

	memcpy(key, p, sizeof(key));
	return &c->slot[(key[0] ^ key[1] * 0x9e3779b97f4a7c15u) *
			    0xff51afd7ed558ccdu >>
			(64 - BITS)];
}

/* If the line is the slot's but for time and period, read these. */
static bool
match(struct slot *s, struct str line)
{
	struct perfline_head *h = &s->head;
	const char *text = s->text.p, *time = line.p + s->time, *tail;
	size_t gap = s->period - s->time_end,
	       tail_len = s->text.len - s->period_end;
	struct str period;

	if (s->time_end == 0 || line.len < s->period + tail_len)
		return false;
	tail = line.p + line.len - tail_len;
	if (memcmp(line.p, text, s->time) != 0 ||
	    memcmp(line.p + s->time_end, text + s->time_end, gap) != 0 ||
	    memcmp(tail, text + s->period_end, tail_len) != 0)
		return false;
	period = str_range(line.p + s->period, tail);
	return perfline_time(str_range(time, line.p + s->time_end), &h->time) &&
	       (s->period_end == s->period ? period.len == 0 :
					     str_u64(period, &h->period));
}

/* Keep the head, with slices into the slot's own copy. */
static void
keep(struct slot *s, struct str line, const struct perfline_head *h)
{
	const char *base;

	s->text.len = 0;
	buf_str(&s->text, line);
	base = s->text.p;
	s->head = *h;
	s->head.comm.p = base + (h->comm.p - line.p);
	s->head.event.p = base + (h->event.p - line.p);
	s->head.rest.p = base + (h->rest.p - line.p);
	s->head.unit = h->period_text.len > 0 ? event_unit(s->head.event) :
						STR("samples");
	s->time = (size_t)(h->time_text.p - line.p);
	s->time_end = s->time + h->time_text.len;
	s->period = (size_t)(h->period_text.p - line.p);
	s->period_end = s->period + h->period_text.len;
}

const struct perfline_head *
headcache_read(struct headcache *c, struct str line)
{
	struct slot *slot = slot_of(c, line.p);
	struct perfline_head head;

	if (match(slot, line))
		return &slot->head;
	if (!perfline_head(line, &head))
		return NULL;
	if (!head.has_time || head.rest.len > 0 || head.event.len == 0 ||
	    head.huge)
		slot = &c->slot[1 << BITS];
	keep(slot, line, &head);
	return &slot->head;
}
