/* trie.c - a trie of frames: each frame is a number and has a caller. */
#include "tree/trie.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

/*
 * Most stacks share their first frames with another stack and have their own
 * tail, in which each frame has one child.  So a frame links its newest child,
 * and only the other children are in the hash table.
 */

void
trie_init(struct trie *t)
{
	*t = (struct trie){ .n = 1 };
	childslots_init(&t->slots);
	t->frame = mem_grow(NULL, &t->cap, 1, sizeof(*t->frame));
	t->frame[0] = (struct trie_frame){ UINT32_MAX, 0, 0, 0 };
}

void
trie_free(struct trie *t)
{
	free(t->frame);
	childslots_free(&t->slots);
	free(t->path);
	free(t->path_id);
}

/* Add a child, even if there is one of that name. */
static uint32_t
append(struct trie *t, uint32_t parent, uint32_t name)
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
	uint32_t i = t->frame[parent].child, hash;
	size_t at;

	if (i == 0 || t->frame[i].name == name)
		return i;
	at = hash = childslots_hash(&t->slots, parent, name);
	while ((i = childslots_next(&t->slots, hash, &at)) != 0) {
		if (t->frame[i].parent == parent && t->frame[i].name == name)
			break;
	}
	return i;
}

uint32_t
trie_child(struct trie *t, uint32_t parent, uint32_t name)
{
	uint32_t i = trie_find(t, parent, name);

	if (i != 0)
		return i;
	/* The newest child heads the list; its predecessor needs a slot now. */
	i = t->frame[parent].child;
	if (i != 0)
		childslots_put(
		    &t->slots,
		    childslots_hash(&t->slots, parent, t->frame[i].name), i);
	return append(t, parent, name);
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
