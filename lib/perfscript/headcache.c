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
	uint64_t parsed; /* the period in text */
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

#define EIGHT(byte) (0x0101010101010101u * (byte))

/* Parse n digits, up to 8 of them, at once.  8 bytes at p must be readable. */
static inline bool
read_digits(const char *p, size_t n, uint64_t *value)
{
	const unsigned missing = 8 * (8 - (unsigned)n);
	uint64_t v, carry;

	memcpy(&v, p, sizeof(v));
	if (missing > 0) /* zeros before the digits */
		v = v << missing | EIGHT('0') >> (64 - missing);
	carry = v + EIGHT(6); /* beyond '9', it changes the upper half */
	if (((v | carry) & EIGHT(0xf0)) != EIGHT('0') ||
	    (carry & EIGHT(0xf0)) != EIGHT('0'))
		return false;
	v = (v & EIGHT(0x0f)) * 0xa01 >> 8;
	v = (v & 0x00ff00ff00ff00ffu) * 0x640001 >> 16;
	*value = (v & 0x0000ffff0000ffffu) * 0x271000000001u >> 32;
	return true;
}

/*
 * Parse a time like most of perf's, with up to 8 digits of seconds and 6 of
 * their parts; the others by perfline_time().
 */
static inline bool
read_time(struct str s, uint64_t *ns)
{
	const size_t seconds = s.len - 7;
	uint64_t whole, part;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || s.len < 8 ||
	    seconds > 8 || s.p[seconds] != '.' ||
	    !read_digits(s.p, seconds, &whole) ||
	    !read_digits(s.p + seconds + 1, 6, &part))
		return perfline_time(s, ns);
	*ns = (whole * 1000000 + part) * 1000;
	return true;
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
	struct str period, old;

	if (slot->time_end == 0 || line.len < slot->period + tail_len)
		return false;
	old = str_range(text + slot->period, text + slot->period_end);
	tail = line.p + line.len - tail_len;
	if (memcmp(line.p, text, slot->time) != 0 ||
	    memcmp(line.p + slot->time_end, text + slot->time_end, gap) != 0 ||
	    memcmp(tail, text + slot->period_end, tail_len) != 0)
		return false;
	period = str_range(line.p + slot->period, tail);
	if (!read_time(str_range(time, line.p + slot->time_end), &h->time))
		return false;
	/* The period of a clock is always the same. */
	if (str_eq(period, old))
		h->period = slot->parsed;
	else if (old.len == 0 || !str_u64(period, &h->period))
		return false;
	return true;
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
	slot->parsed = h->period;
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
	if (!perfline_is_plain(&head))
		slot = &c->slot[1 << BITS];
	store(slot, line, &head);
	return &slot->head;
}
