/* arena.c - allocator whose memory is freed all at once. */
#include "base/arena.h"

#include "base/mem.h"

#include <err.h>
#include <stdalign.h>
#include <stdlib.h>

#define BLOCK (64 * 1024)

struct arena_block {
	struct arena_block *next;
	alignas(max_align_t) char bytes[];
};

static void *
new_block(struct arena *a, size_t size)
{
	struct arena_block *b = mem_alloc(sizeof(*b) + size);

	b->next = a->blocks;
	a->blocks = b;
	return b->bytes;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	const size_t mask = alignof(max_align_t) - 1;
	char *p;

	if (size > SIZE_MAX / 2)
		errx(2, "out of memory");
	size = (size + mask) & ~mask;
	a->size += size;
	/* A large piece gets its own block; the current one stays current. */
	if (size > BLOCK / 4 && size > (size_t)(a->end - a->p))
		return new_block(a, size);
	if (a->p == NULL || size > (size_t)(a->end - a->p)) {
		a->p = new_block(a, BLOCK);
		a->end = a->p + BLOCK;
	}
	p = a->p;
	a->p += size;
	return p;
}

struct str
arena_str(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.len + 1);

	if (s.len > 0)
		memcpy(p, s.p, s.len);
	p[s.len] = '\0';
	return (struct str){ p, s.len };
}

void
arena_free(struct arena *a)
{
	struct arena_block *b, *next;

	for (b = a->blocks; b != NULL; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){ 0 };
}
