/* trie.c - a trie of frames: each frame is a number and has a caller. */
#include "tree/trie.h"

#include "base/hash.h"
#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

/*
 * Most stacks share their first frames with another stack and have their own
 * tail, in which each frame has one child.  So a frame links its newest child,
 * and only the other children are in the hash table: open addressing, at most
 * half full.  A slot has the hash in the high half and the number in the low
 * half; zero is free.
 */

void
trie_init(struct trie *t)
{
	*t = (struct trie){ .mask = 1023, .n = 1, .seed = hash_seed() };
	t->slot = mem_zero(t->mask + 1, sizeof(*t->slot));
	t->frame = mem_grow(NULL, &t->cap, 1, sizeof(*t->frame));
	t->frame[0] = (struct trie_frame){ UINT32_MAX, 0, 0, 0 };
}

void
trie_free(struct trie *t)
{
	free(t->frame);
	free(t->slot);
	free(t->path);
	free(t->path_id);
}

static uint32_t
hash_child(const struct trie *t, uint32_t parent, uint32_t name)
{
	uint64_t h = (t->seed ^ ((uint64_t)parent << 32 | name)) *
		     0x9e3779b97f4a7c15;

	h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
	return (uint32_t)(h >> 32);
}

static void
put_slot(uint64_t *slot, size_t mask, uint32_t hash, uint32_t i)
{
	size_t at = hash & mask;

	while (slot[at] != 0)
		at = (at + 1) & mask;
	slot[at] = (uint64_t)hash << 32 | i;
}

static void
grow_slots(struct trie *t)
{
	size_t i, mask = 2 * t->mask + 1;
	uint64_t *slot = mem_zero(mask + 1, sizeof(*slot));

	for (i = 0; i <= t->mask; i++) {
		if (t->slot[i] != 0)
			put_slot(slot, mask, (uint32_t)(t->slot[i] >> 32),
				 (uint32_t)t->slot[i]);
	}
	free(t->slot);
	t->slot = slot;
	t->mask = mask;
}

static uint32_t
find_slot(const struct trie *t, uint32_t hash, uint32_t parent, uint32_t name)
{
	size_t at;
	uint32_t i;

	for (at = hash & t->mask; t->slot[at] != 0; at = (at + 1) & t->mask) {
		i = (uint32_t)t->slot[at];
		if (t->slot[at] >> 32 == hash && t->frame[i].parent == parent &&
		    t->frame[i].name == name)
			return i;
	}
	return 0;
}

uint32_t
trie_append(struct trie *t, uint32_t parent, uint32_t name)
{
	struct trie_frame *p;
	uint32_t i = t->n;

	if (i == UINT32_MAX)
		errx(2, "more than %u frames", UINT32_MAX - 1);
	t->frame = mem_grow(t->frame, &t->cap, (size_t)i + 1,
			    sizeof(*t->frame));
	p = &t->frame[parent];
	t->frame[i] = (struct trie_frame){ name, parent, 0, p->child };
	p->child = i;
	t->n++;
	return i;
}

uint32_t
trie_find(const struct trie *t, uint32_t parent, uint32_t name)
{
	uint32_t i = t->frame[parent].child;

	if (i == 0 || t->frame[i].name == name)
		return i;
	return find_slot(t, hash_child(t, parent, name), parent, name);
}

uint32_t
trie_child(struct trie *t, uint32_t parent, uint32_t name)
{
	uint32_t i = trie_find(t, parent, name);

	if (i != 0)
		return i;
	/* The newest child heads the list; its predecessor needs a slot now. */
	i = t->frame[parent].child;
	if (i != 0) {
		put_slot(t->slot, t->mask,
			 hash_child(t, parent, t->frame[i].name), i);
		if (2 * ++t->used > t->mask)
			grow_slots(t);
	}
	return trie_append(t, parent, name);
}

/* The number of frames, root first, that the previous stack has as well. */
static size_t
common_frames(const struct trie *t, const uint32_t *id, size_t n)
{
	size_t i = 0;

	while (i < n && i < t->depth && t->path_id[i] == id[i])
		i++;
	return i;
}

uint32_t
trie_add(struct trie *t, const uint32_t *id, size_t n)
{
	size_t i = common_frames(t, id, n);
	uint32_t at = i == 0 ? 0 : t->path[i - 1];

	t->path = mem_grow(t->path, &t->path_cap, n, sizeof(*t->path));
	t->path_id = mem_grow(t->path_id, &t->path_id_cap, n,
			      sizeof(*t->path_id));
	for (; i < n; i++) {
		at = trie_child(t, at, id[i]);
		t->path[i] = at;
		t->path_id[i] = id[i];
	}
	t->depth = n;
	return at;
}

/* The last frame found so far. */
static uint32_t
last_found(const struct trie_lookup *l)
{
	return l->found == 0 ? 0 : l->at[l->found - 1];
}

/* The slot of the frame to find next. */
static uint64_t *
next_slot(const struct trie *t, const struct trie_lookup *l)
{
	return &t->slot[hash_child(t, last_found(l), l->id[l->found]) &
			t->mask];
}

/* Prefetch what find_next() reads first. */
static void
prefetch_next(const struct trie *t, const struct trie_lookup *l)
{
	__builtin_prefetch(&t->frame[t->frame[last_found(l)].child]);
	__builtin_prefetch(next_slot(t, l));
}

static void
prefetch_frame(const struct trie *t, const struct trie_lookup *l)
{
	__builtin_prefetch(&t->frame[(uint32_t)*next_slot(t, l)]);
}

static void
find_next(const struct trie *t, struct trie_lookup *l)
{
	uint32_t i = trie_find(t, last_found(l), l->id[l->found]);

	if (i != 0)
		l->at[l->found++] = i;
	l->done = i == 0 || l->found == l->n;
}

void
trie_lookup(const struct trie *t, struct trie_lookup *lookup, size_t n)
{
	struct trie_lookup *l, *end = lookup + n;
	bool more = true;

	while (more) {
		more = false;
		for (l = lookup; l < end; l++) {
			if (!l->done)
				prefetch_next(t, l);
		}
		for (l = lookup; l < end; l++) {
			if (!l->done)
				prefetch_frame(t, l);
		}
		for (l = lookup; l < end; l++) {
			if (!l->done) {
				find_next(t, l);
				more = true;
			}
		}
	}
}
