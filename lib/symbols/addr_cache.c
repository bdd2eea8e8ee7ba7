/* addr_cache.c - code numbers by file and offset. */
#include "symbols/addr_cache.h"

#include "base/hash.h"
#include "base/mem.h"

/*
 * A table of our own, because it is hot: looking up the 60,000 addresses of a
 * recording in a loop takes 9 ns each, and 50 ns with uthash.
 */

/* The first table has 1 MB; a smaller one is rarely enough. */
#define FIRST ((size_t)1 << 16)

struct addr_cache_slot {
	uint64_t offset;
	uint32_t space;
	uint32_t code; /* 0: the slot is free */
};

void
addr_cache_free(struct addr_cache *a)
{
	if (a->cap > 0)
		mem_unmap(a->slot, a->cap * sizeof(*a->slot));
	*a = (struct addr_cache){ 0 };
}

/*
 * A product's high bits depend on all bits of its factors.  The factors are
 * secret, so a recording cannot choose addresses that collide.
 */
static size_t
first_slot(const struct addr_cache *a, uint64_t offset, uint32_t space)
{
	return (size_t)((offset * a->seed[0] + space * a->seed[1]) >> 32);
}

/* The slot of an address, or the free slot where it belongs. */
static struct addr_cache_slot *
find_slot(const struct addr_cache *a, uint64_t offset, uint32_t space)
{
	struct addr_cache_slot *slot;
	size_t i = first_slot(a, offset, space);

	for (;; i++) {
		slot = &a->slot[i & (a->cap - 1)];
		if (slot->code == 0 ||
		    (slot->offset == offset && slot->space == space))
			return slot;
	}
}

uint32_t
addr_cache_find(const struct addr_cache *a, uint64_t offset, uint32_t space)
{
	return a->n == 0 ? 0 : find_slot(a, offset, space)->code;
}

static void
grow(struct addr_cache *a)
{
	struct addr_cache old = *a;
	struct addr_cache_slot *slot;
	size_t i;

	a->seed[0] = hash_seed() | 1;
	a->seed[1] = hash_seeded(a->seed, sizeof(*a->seed), a->seed[0]) | 1;
	a->cap = old.cap > 0 ? 2 * old.cap : FIRST;
	a->slot = mem_map(a->cap * sizeof(*a->slot));
	for (i = 0; i < old.cap; i++) {
		slot = &old.slot[i];
		if (slot->code != 0)
			*find_slot(a, slot->offset, slot->space) = *slot;
	}
	if (old.cap > 0)
		mem_unmap(old.slot, old.cap * sizeof(*old.slot));
}

void
addr_cache_add(struct addr_cache *a, uint64_t offset, uint32_t space,
	       uint32_t code)
{
	if (4 * a->n >= 3 * a->cap)
		grow(a);
	a->n++;
	*find_slot(a, offset, space) = (struct addr_cache_slot){ offset, space,
								 code };
}
