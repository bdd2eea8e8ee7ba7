/* arena.h - memory that is kept, and freed all at once. */
#ifndef ARENA_H
#define ARENA_H

#include "str.h"

struct arena_block;

/* All zero is an empty arena. */
struct arena {
	struct arena_block *blocks;
	char *p, *end; /* what is left of the newest block */
	size_t size;   /* bytes handed out since the last arena_free() */
};

/* Bytes for any type, not cleared, valid until arena_free(). */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of s, with a NUL behind it that does not count. */
struct str arena_str(struct arena *a, struct str s);

/* Free everything; the arena is empty and can be used again. */
void arena_free(struct arena *a);

#endif
