/* childslots.c - a hash table of the children of frames, of numbers only. */
#include "tree/childslots.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

void
childslots_init(struct childslots *s)
{
	*s = (struct childslots){ .mask = 1023, .seed = hash_seed() };
	s->slot = mem_zero(s->mask + 1, sizeof(*s->slot));
}

void
childslots_free(struct childslots *s)
{
	free(s->slot);
	s->slot = NULL;
}

static void
put(uint64_t *slot, size_t mask, uint32_t hash, uint32_t number)
{
	size_t at = hash & mask;

	while (slot[at] != 0)
		at = (at + 1) & mask;
	slot[at] = (uint64_t)hash << 32 | number;
}

static void
grow(struct childslots *s)
{
	size_t i, mask = 2 * s->mask + 1;
	uint64_t *slot = mem_zero(mask + 1, sizeof(*slot));

	for (i = 0; i <= s->mask; i++) {
		if (s->slot[i] != 0)
			put(slot, mask, (uint32_t)(s->slot[i] >> 32),
			    (uint32_t)s->slot[i]);
	}
	free(s->slot);
	s->slot = slot;
	s->mask = mask;
}

void
childslots_put(struct childslots *s, uint32_t hash, uint32_t number)
{
	put(s->slot, s->mask, hash, number);
	if (2 * ++s->used > s->mask)
		grow(s);
}
