/* intern.c - table that assigns numbers to names. */
#include "base/intern.h"

#include "base/hash.h"
#include "base/mem.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

/*
 * Open addressing, at most half full.  A free slot has place 0.  Slots are
 * small: they are most of the memory that each name adds.
 */
struct intern_slot {
	uint32_t hash, place;
};

/* A name in a block; NUL follows. */
struct intern_record {
	uint32_t id;
	uint32_t low, high; /* length */
	char text[];
};

/*
 * Records are at places: the number of a block, and the offset in it in units.
 * So a slot leads to the text in one step.  A name that is longer than a block
 * has one of its own.
 */
#define UNIT 4
#define BLOCK_BITS 17
#define BLOCK_UNITS ((size_t)1 << BLOCK_BITS)
#define FIRST_BLOCK ((size_t)64 * 1024)

struct intern {
	struct intern_slot *slots;
	size_t mask;
	uint64_t seed;
	uint32_t *place; /* of each name */
	size_t n, cap;
	char **block;
	size_t blocks, blocks_cap, used, room; /* units of the last block */
	size_t size, bytes;                    /* of all blocks and names */
};

static const struct intern_record *
record_at(const struct intern *t, uint32_t place)
{
	return (const void *)(t->block[place >> BLOCK_BITS] +
			      (place & (BLOCK_UNITS - 1)) * UNIT);
}

static size_t
length_of(const struct intern_record *r)
{
	return (size_t)r->high << 32 | r->low;
}

static struct str
name_at(const struct intern *t, uint32_t place)
{
	const struct intern_record *r = record_at(t, place);

	return (struct str){ r->text, length_of(r) };
}

struct intern *
intern_new(void)
{
	struct intern *t = mem_zero(1, sizeof(*t));

	t->mask = 1023;
	t->seed = hash_seed();
	t->slots = mem_zero(t->mask + 1, sizeof(*t->slots));
	return t;
}

void
intern_free(struct intern *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->blocks; i++)
		free(t->block[i]);
	free(t->block);
	free(t->place);
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
		if (old[i].place == 0)
			continue;
		for (j = old[i].hash & t->mask; t->slots[j].place != 0;)
			j = (j + 1) & t->mask;
		t->slots[j] = old[i];
	}
	free(old);
}

/* Begin a block with room for a number of units.  No name has the place 0. */
static void
add_block(struct intern *t, size_t units)
{
	size_t room = t->size < BLOCK_UNITS * UNIT ? FIRST_BLOCK / UNIT :
						     BLOCK_UNITS;

	if (t->blocks >> (32 - BLOCK_BITS) != 0)
		errx(2, "too many names");
	t->used = t->blocks == 0;
	if (room < t->used + units)
		room = t->used + units;
	t->block = mem_grow(t->block, &t->blocks_cap, t->blocks + 1,
			    sizeof(*t->block));
	t->block[t->blocks++] = mem_alloc(room * UNIT);
	t->room = room;
	t->size += room * UNIT;
}

/* Copy a name into a block. */
static uint32_t
add_record(struct intern *t, struct str name)
{
	size_t units = (sizeof(struct intern_record) + name.len + UNIT) / UNIT;
	struct intern_record *r;
	uint32_t place;

	if (t->used + units > t->room || t->used >= BLOCK_UNITS)
		add_block(t, units);
	place = (uint32_t)((t->blocks - 1) << BLOCK_BITS | t->used);
	r = (void *)(t->block[t->blocks - 1] + t->used * UNIT);
	r->id = (uint32_t)t->n;
	r->low = (uint32_t)name.len;
	r->high = (uint32_t)(name.len >> 32);
	if (name.len > 0)
		memcpy(r->text, name.p, name.len);
	r->text[name.len] = '\0';
	t->used += units;
	t->bytes += units * UNIT;
	return place;
}

static uint32_t
add(struct intern *t, struct intern_slot *slot, uint32_t hash, struct str name)
{
	if (t->n >= UINT32_MAX - 1)
		errx(2, "more than %u names", UINT32_MAX - 1);
	if (name.len > SIZE_MAX / 2)
		errx(2, "out of memory");
	t->place = mem_grow(t->place, &t->cap, t->n + 1, sizeof(*t->place));
	t->place[t->n] = add_record(t, name);
	*slot = (struct intern_slot){ hash, t->place[t->n] };
	t->n++;
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
		if (slot->place == 0 || (slot->hash == hash &&
					 str_eq(name_at(t, slot->place), name)))
			return slot;
	}
}

static uint32_t
find_or_add(struct intern *t, uint32_t hash, struct str name)
{
	struct intern_slot *slot = find_slot(t, hash, name);

	return slot->place == 0 ? add(t, slot, hash, name) :
				  record_at(t, slot->place)->id;
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
intern_prefetch(const struct intern *t, const struct str *name,
		const uint32_t *id, size_t n)
{
	uint32_t place;
	const char *r;
	size_t i;

	for (i = 0; i < n; i++) {
		place = t->slots[id[i] & t->mask].place;
		if (place == 0)
			continue;
		r = (const char *)record_at(t, place);
		__builtin_prefetch(r);
		/* The record may be of another name, and end before. */
		__builtin_prefetch((const void *)((uintptr_t)r + name[i].len));
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
		intern_prefetch(t, name, id, batch);
		intern_insert(t, name, batch, id);
	}
}

bool
intern_find(const struct intern *t, struct str name, uint32_t *id)
{
	uint32_t hash = (uint32_t)hash_seeded(name.p, name.len, t->seed);
	const struct intern_slot *slot = find_slot(t, hash, name);

	if (slot->place == 0)
		return false;
	*id = record_at(t, slot->place)->id;
	return true;
}

struct str
intern_name(const struct intern *t, uint32_t id)
{
	return name_at(t, t->place[id]);
}

uint32_t
intern_size(const struct intern *t)
{
	return (uint32_t)t->n;
}

size_t
intern_memory(const struct intern *t)
{
	return t->bytes + t->n * sizeof(*t->place) +
	       (t->mask + 1) * sizeof(*t->slots);
}
