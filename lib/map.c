/* map.c - a table from numbers of a trace, as ids and addresses, to ours. */
#include "map.h"

#include "hash.h"
#include "mem.h"

#include <stdlib.h>

/* Open addressing, at most half full. */
struct map_slot {
	uint64_t key;
	uint32_t value;
	bool used;
};

/*
 * A product's high bits depend on all bits of what is multiplied, its low
 * ones do not: these are mixed with those, and multiplied again.
 */
static size_t
first_slot(const struct map *m, uint64_t key)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h = (key ^ m->seed) * odd;

	h = (h ^ h >> 32) * odd;
	return (size_t)(h >> 32);
}

static struct map_slot *
find(const struct map *m, uint64_t key)
{
	size_t i = first_slot(m, key) & m->mask;

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

static void
grow(struct map *m)
{
	struct map old = *m;
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
map_free(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

void
map_put(struct map *m, uint64_t key, uint32_t value)
{
	struct map_slot *slot;

	if (m->slots == NULL || 2 * m->n > m->mask)
		grow(m);
	slot = find(m, key);
	m->n += !slot->used;
	*slot = (struct map_slot){ key, value, true };
}

bool
map_get(const struct map *m, uint64_t key, uint32_t *value)
{
	const struct map_slot *slot;

	if (m->slots == NULL)
		return false;
	slot = find(m, key);
	if (slot->used)
		*value = slot->value;
	return slot->used;
}
