/* childslots.h - a hash table of the children of frames, of numbers only. */
#ifndef CHILDSLOTS_H
#define CHILDSLOTS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Open addressing, at most half full.  A slot has the hash in the high half
 * and a number above 0 in the low half; zero is free.  The caller has what the
 * numbers mean, and compares.  Initialize with childslots_init(), release with
 * childslots_free().
 */
struct childslots {
	uint64_t *slot, seed;
	size_t mask, used;
};

void childslots_init(struct childslots *s);
void childslots_free(struct childslots *s);

/* Put a number in. */
void childslots_put(struct childslots *s, uint32_t hash, uint32_t number);

static inline uint32_t
childslots_hash(const struct childslots *s, uint32_t parent, uint32_t name)
{
	uint64_t h = (s->seed ^ ((uint64_t)parent << 32 | name)) *
		     0x9e3779b97f4a7c15;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
	return (uint32_t)(h >> 32);
}

/* Where the numbers of a hash begin. */
static inline const uint64_t *
childslots_at(const struct childslots *s, uint32_t hash)
{
	return &s->slot[hash & s->mask];
}

/* The next number of a hash, or 0.  Start with *at = hash. */
static inline uint32_t
childslots_next(const struct childslots *s, uint32_t hash, size_t *at)
{
	uint64_t slot;

	while ((slot = s->slot[*at & s->mask]) != 0) {
		++*at;
		if (slot >> 32 == hash)
			return (uint32_t)slot;
	}
	return 0;
}

#endif
