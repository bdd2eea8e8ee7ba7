/* intern.c - a table that gives each name a number. */
#include "intern.h"

#include "arena.h"
#include "hash.h"
#include "mem.h"

#include <err.h>
#include <stdlib.h>

/* Open addressing, at most half full; id + 1, so that zero is free. */
struct slot {
	uint32_t hash, id1;
	struct str name;
};

struct intern {
	struct slot *slots;
	size_t mask;
	struct str *names;
	size_t n, cap;
	struct arena text;
};

struct intern *
intern_new(void)
{
	struct intern *t = mem_zero(1, sizeof(*t));

	t->mask = 1023;
	t->slots = mem_zero(t->mask + 1, sizeof(*t->slots));
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
	struct slot *old = t->slots;
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
add(struct intern *t, struct slot *slot, uint32_t hash, struct str name)
{
	if (t->n >= UINT32_MAX - 1)
		errx(2, "more than %u names", UINT32_MAX - 1);
	t->names = mem_grow(t->names, &t->cap, t->n + 1, sizeof(*t->names));
	t->names[t->n] = arena_str(&t->text, name);
	*slot = (struct slot){ hash, (uint32_t)t->n + 1, t->names[t->n] };
	t->n++;
	if (2 * t->n > t->mask)
		grow(t);
	return (uint32_t)t->n - 1;
}

/* The slot that has the name, or the free one where it would be. */
static struct slot *
find_slot(const struct intern *t, uint32_t hash, struct str name)
{
	struct slot *slot;
	size_t i;

	for (i = hash & t->mask;; i = (i + 1) & t->mask) {
		slot = &t->slots[i];
		if (slot->id1 == 0 ||
		    (slot->hash == hash && str_eq(slot->name, name)))
			return slot;
	}
}

static uint32_t
find_or_add(struct intern *t, uint32_t hash, struct str name)
{
	struct slot *slot = find_slot(t, hash, name);

	return slot->id1 == 0 ? add(t, slot, hash, name) : slot->id1 - 1;
}

uint32_t
intern_id(struct intern *t, struct str name)
{
	return find_or_add(t, (uint32_t)hash_bytes(name.p, name.len), name);
}

void
intern_hash(const struct intern *t, const struct str *name, size_t n,
	    uint32_t *id)
{
	size_t i;

	for (i = 0; i < n; i++) {
		id[i] = (uint32_t)hash_bytes(name[i].p, name[i].len);
		__builtin_prefetch(&t->slots[id[i] & t->mask]);
	}
}

void
intern_seek(const struct intern *t, const uint32_t *id, size_t n)
{
	struct str name;
	size_t i;

	for (i = 0; i < n; i++) {
		/* A free slot has no name, and no place behind it. */
		name = t->slots[id[i] & t->mask].name;
		__builtin_prefetch(name.p);
		__builtin_prefetch(
		    (const void *)((uintptr_t)name.p + name.len));
	}
}

void
intern_take(struct intern *t, const struct str *name, size_t n, uint32_t *id)
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
		intern_seek(t, id, batch);
		intern_take(t, name, batch, id);
	}
}

bool
intern_find(const struct intern *t, struct str name, uint32_t *id)
{
	uint32_t hash = (uint32_t)hash_bytes(name.p, name.len);
	const struct slot *slot = find_slot(t, hash, name);

	if (slot->id1 == 0)
		return false;
	*id = slot->id1 - 1;
	return true;
}

struct str
intern_name(const struct intern *t, uint32_t id)
{
	return t->names[id];
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
