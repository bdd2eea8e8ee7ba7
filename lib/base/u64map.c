/* u64map.c - a hash table from numbers in a trace to our numbers. */
#include "base/u64map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

/* A slot of the table, which uses open addressing and is at most half full. */
struct u64map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

/*
 * The high bits of a product depend on all bits of its factors, the low bits do
 * not.  So the high bits are mixed into the low ones, and multiplied again.
 */
static size_t
first_slot(const struct u64map *m, uint64_t key)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h = (key ^ m->seed) * odd;

	h = (h ^ h >> 32) * odd;
	return (size_t)(h >> 32);
}

static struct u64map_slot *
find(const struct u64map *m, uint64_t key)
{
	size_t i = first_slot(m, key) & m->mask;

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static void
grow(struct u64map *m)
{
	struct u64map old = *m;
	size_t i;

	if (old.slots == NULL)
		m->seed = hash_seed();
	m->mask = old.slots == NULL ? 63 : 2 * old.mask + 1;
	m->slots = mem_zero(m->mask + 1, sizeof(*m->slots));
	for (i = 0; old.slots != NULL && i <= old.mask; i++) {
		if (old.slots[i].used)
			*find(m, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

void
u64map_free(struct u64map *m)
{
	free(m->slots);
	*m = (struct u64map){ 0 };
}

void
u64map_put(struct u64map *m, uint64_t key, uint32_t value)
{
	struct u64map_slot *slot;

	if (m->slots == NULL || 2 * m->n > m->mask)
		grow(m);
	slot = find(m, key);
	m->n += !slot->used;
	*slot = (struct u64map_slot){ key, value, true };
}

bool
u64map_get(const struct u64map *m, uint64_t key, uint32_t *value)
{
	const struct u64map_slot *slot;

	if (m->slots == NULL)
		return false;
	slot = find(m, key);
	if (slot->used)
		*value = slot->value;
	return slot->used;
}
