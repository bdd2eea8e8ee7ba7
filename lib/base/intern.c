/* intern.c - table that assigns numbers to names. */
#include "base/intern.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

/*
 * Open addressing, at most half full.  A free slot has id1 0, others id + 1.
 * Slots are small: they are most of the memory that each name adds.
 */
struct intern_slot {
	uint32_t hash, id1;
};

struct intern {
	struct intern_slot *slots;
	size_t mask;
	uint64_t seed;
	struct str *names; /* by id1; the first one is empty, for free slots */
	size_t n, cap;
	struct arena text;
};

struct intern *
intern_new(void)
{
	struct intern *t = mem_zero(1, sizeof(*t));

	t->mask = 1023;
	t->seed = hash_seed();
	t->slots = mem_zero(t->mask + 1, sizeof(*t->slots));
	t->names = mem_grow(NULL, &t->cap, 1, sizeof(*t->names));
	t->names[0] = STR("");
	return t;
}

void
intern_free(struct intern *t)
{
	if (t == NULL)
		return;
	arena_free(&t->text);
	free(t->names);
	free(t->slots);
	free(t);
}

static void
grow(struct intern *t)
{
	struct intern_slot *old = t->slots;
	size_t i, j, n = t->mask + 1;

	t->mask = 2 * n - 1;
	t->slots = mem_zero(2 * n, sizeof(*t->slots));
	for (i = 0; i < n; i++) {
		if (old[i].id1 == 0)
			continue;
		for (j = old[i].hash & t->mask; t->slots[j].id1 != 0;)
			j = (j + 1) & t->mask;
		t->slots[j] = old[i];
	}
	free(old);
}

static uint32_t
add(struct intern *t, struct intern_slot *slot, uint32_t hash, struct str name)
{
	if (t->n >= UINT32_MAX - 1)
		errx(2, "more than %u names", UINT32_MAX - 1);
	t->n++;
	t->names = mem_grow(t->names, &t->cap, t->n + 1, sizeof(*t->names));
	t->names[t->n] = arena_str(&t->text, name);
	*slot = (struct intern_slot){ hash, (uint32_t)t->n };
	if (2 * t->n > t->mask)
		grow(t);
	return (uint32_t)t->n - 1;
}

/* The slot of a name, or the free slot where it belongs. */
static struct intern_slot *
find_slot(const struct intern *t, uint32_t hash, struct str name)
{
	struct intern_slot *slot;
	size_t i;

	for (i = hash & t->mask;; i = (i + 1) & t->mask) {
		slot = &t->slots[i];
		if (slot->id1 == 0 ||
		    (slot->hash == hash && str_eq(t->names[slot->id1], name)))
			return slot;
	}
}

static uint32_t
find_or_add(struct intern *t, uint32_t hash, struct str name)
{
	struct intern_slot *slot = find_slot(t, hash, name);

	return slot->id1 == 0 ? add(t, slot, hash, name) : slot->id1 - 1;
}

uint32_t
intern_id(struct intern *t, struct str name)
{
	return find_or_add(t, (uint32_t)hash_seeded(name.p, name.len, t->seed),
			   name);
}

void
intern_hash(const struct intern *t, const struct str *name, size_t n,
	    uint32_t *id)
{
	size_t i;

	for (i = 0; i < n; i++) {
		id[i] = (uint32_t)hash_seeded(name[i].p, name[i].len, t->seed);
		__builtin_prefetch(&t->slots[id[i] & t->mask]);
	}
}

void
intern_prefetch(const struct intern *t, const uint32_t *id, size_t n)
{
	struct str name;
	size_t i;

	for (i = 0; i < n; i++) {
		name = t->names[t->slots[id[i] & t->mask].id1];
		__builtin_prefetch(name.p);
		__builtin_prefetch(
		    (const void *)((uintptr_t)name.p + name.len));
	}
}

void
intern_insert(struct intern *t, const struct str *name, size_t n, uint32_t *id)
{
	size_t i;

	for (i = 0; i < n; i++)
		id[i] = find_or_add(t, id[i], name[i]);
}

#define BATCH 16

void
intern_ids(struct intern *t, const struct str *name, size_t n, uint32_t *id)
{
	size_t batch;

	for (; n > 0; n -= batch, name += batch, id += batch) {
		batch = n < BATCH ? n : BATCH;
		intern_hash(t, name, batch, id);
		intern_prefetch(t, id, batch);
		intern_insert(t, name, batch, id);
	}
}

bool
intern_find(const struct intern *t, struct str name, uint32_t *id)
{
	uint32_t hash = (uint32_t)hash_seeded(name.p, name.len, t->seed);
	const struct intern_slot *slot = find_slot(t, hash, name);

	if (slot->id1 == 0)
		return false;
	*id = slot->id1 - 1;
	return true;
}

struct str
intern_name(const struct intern *t, uint32_t id)
{
	return t->names[id + 1];
}

uint32_t
intern_size(const struct intern *t)
{
	return (uint32_t)t->n;
}

size_t
intern_memory(const struct intern *t)
{
	return t->text.size + t->n * sizeof(*t->names) +
	       (t->mask + 1) * sizeof(*t->slots);
}
