/* stackcache.c - a cache of whole stacks of perf script text, by their bytes.
 */
#include "perfscript/stackcache.h"

#include "base/mem.h"

#include <stdlib.h>

/* Stacks of this size share the cache of a CPU with the frames. */
#define POOL_BYTES ((size_t)2 << 20)
#define UNIT 8 /* bytes; places count in these */

#define BITS 13 /* of the slots */

struct stackcache_slot {
	uint32_t hash, place; /* place 0 is free */
};

struct stackcache {
	char *pool;
	size_t used;
	uint64_t generation;
	struct stackcache_slot slot[1 << BITS];
};

struct stackcache *
stackcache_new(void)
{
	struct stackcache *c = mem_zero(1, sizeof(*c));

	c->pool = mem_alloc(POOL_BYTES);
	c->used = UNIT;
	return c;
}

void
stackcache_free(struct stackcache *c)
{
	free(c->pool);
	free(c);
}

void
stackcache_clear(struct stackcache *c)
{
	memset(c->slot, 0, sizeof(c->slot));
	c->used = UNIT;
	c->generation++;
}

uint64_t
stackcache_generation(const struct stackcache *c)
{
	return c->generation;
}

static struct stackcache_stack *
stack_at(const struct stackcache *c, size_t place)
{
	return (struct stackcache_stack *)(void *)(c->pool + place * UNIT);
}

/* Whether the lines are those of the frames. */
static bool
is_of(const struct stackcache_stack *s, struct str lines)
{
	const char *p = lines.p;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (!framecache_is(s->frame[i], p))
			return false;
		p += s->frame[i]->len;
	}
	return true;
}

static const struct stackcache_slot *
slot_of(const struct stackcache *c, const struct paragraph *lines)
{
	return &c->slot[lines->hash >> (64 - BITS)];
}

void
stackcache_touch(const struct stackcache *c, const struct paragraph *lines)
{
	__builtin_prefetch(slot_of(c, lines));
}

void
stackcache_prefetch(const struct stackcache *c, const struct paragraph *lines)
{
	const char *s = (const char *)stack_at(c, slot_of(c, lines)->place);

	__builtin_prefetch(s);
	__builtin_prefetch(s + 64);
	__builtin_prefetch(s + 128);
}

struct stackcache_stack *
stackcache_find(const struct stackcache *c, const struct paragraph *lines,
		int flavour)
{
	const struct stackcache_slot *slot = slot_of(c, lines);
	const struct str text = lines->text;
	struct stackcache_stack *s = stack_at(c, slot->place);

	if (slot->place != 0 && slot->hash == (uint32_t)lines->hash &&
	    s->len == text.len && s->flavour == flavour && is_of(s, text))
		return s;
	return NULL;
}

/* Whether all lines of a text are in the cache of frames. */
static bool
has_lines(struct framecache_frame *const *frame, size_t n, struct str text)
{
	size_t i, len = 0;

	for (i = 0; i < n; i++)
		len += frame[i]->len;
	return len == text.len;
}

void
stackcache_add(struct stackcache *c, const struct paragraph *lines, int flavour,
	       struct framecache_frame *const *frame, size_t n)
{
	const struct str text = lines->text;
	const size_t size = sizeof(struct stackcache_stack) +
			    n * sizeof(*frame);
	struct stackcache_stack *s;

	if (size > POOL_BYTES / 8 || !has_lines(frame, n, text))
		return;
	if (size + UNIT > POOL_BYTES - c->used)
		stackcache_clear(c);
	s = stack_at(c, c->used / UNIT);
	*s = (struct stackcache_stack){ .len = (uint32_t)text.len,
					.n = (uint32_t)n,
					.flavour = flavour };
	memcpy(s->frame, frame, n * sizeof(*frame));
	c->slot[lines->hash >> (64 - BITS)] = (struct stackcache_slot){
		(uint32_t)lines->hash, (uint32_t)(c->used / UNIT)
	};
	c->used += (size + UNIT - 1) / UNIT * UNIT;
}
