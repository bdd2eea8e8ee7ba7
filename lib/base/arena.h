/* arena.h - allocator whose memory is freed all at once. */
#ifndef ARENA_H
#define ARENA_H

#include "base/str.h"

struct arena_block;

/* All zero is an empty arena. */
struct arena {
	struct arena_block *blocks;
	char *p, *end; /* free part of the current block */
	size_t size;   /* bytes allocated since the last arena_free() */
};

/*
 * Allocate memory, aligned for any type, not cleared.  Valid until
 * arena_free().  Ends the program with status 2 when memory runs out.
 */
void *arena_alloc(struct arena *a, size_t size);

/* A copy of s.  A NUL follows it, which the length does not include. */
struct str arena_str(struct arena *a, struct str s);

/* Free everything.  The arena is empty afterwards and can be used again. */
void arena_free(struct arena *a);

#endif
