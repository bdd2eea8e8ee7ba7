/* framecache.h - a cache of parsed frame lines of perf script text. */
#ifndef FRAMECACHE_H
#define FRAMECACHE_H

#include "perfscript/perfframe.h"

/*
 * A profile repeats some ten thousand lines millions of times.  The cache
 * stores each line when it is parsed first.  A line that recurs costs one
 * comparison with the stored text.
 *
 * Most of that cost is the wait for memory, so the caller looks up many lines
 * at once, in three steps:
 *
 *	for each line	slot[i] = framecache_slot(c, line[i]);
 *	for each line	framecache_prefetch(c, slot[i]);
 *	for each line	frame = framecache_find(c, slot[i], line[i], len);
 */

#define FRAMECACHE_NO_TOKEN UINT32_MAX

/* A function in a module; lives as long as the cache. */
struct framecache_symbol {
	struct str name, module; /* empty if missing */
	enum perfframe_kind kind;
	uint32_t token[2]; /* the caller's, FRAMECACHE_NO_TOKEN at first */
	bool outermost;    /* the caller's, false at first */
};

/* A line; lives until framecache_limit() returns true. */
struct framecache_frame {
	uint32_t token[2]; /* the caller's, FRAMECACHE_NO_TOKEN at first */
	uint32_t number;   /* counts the calls of framecache_add() */
	uint32_t len;      /* of text; 0 for a line that is not cached */
	char text[];       /* the line with its LF */
};

struct framecache {
	char *pool;         /* the table, then the frames */
	uint32_t *table;    /* places of frames in the pool, 0 for none */
	size_t used;        /* bytes of the pool */
	uint64_t factor[2]; /* of the hash: odd, and random for each process */
	struct framecache_more *more;
};

void framecache_init(struct framecache *c);
void framecache_free(struct framecache *c);

/*
 * Forget all lines if they take too much memory, and return whether it did.
 * Symbols stay.
 */
bool framecache_limit(struct framecache *c);

#define FRAMECACHE_BITS 17
#define FRAMECACHE_UNIT 8 /* bytes; places count in these */

/* The frame at a place. */
static inline struct framecache_frame *
framecache_at(const struct framecache *c, uint32_t place)
{
	return (struct framecache_frame *)(void *)(c->pool +
						   (size_t)place *
						       FRAMECACHE_UNIT);
}

typedef uint64_t framecache_vector __attribute__((vector_size(16)));

/*
 * Whether the n bytes at a and b are equal, n from 16 to 16 * loads.  There are
 * always as many loads, which overlap if n is small: so no branch depends on n.
 */
static inline bool
framecache_equal(const char *a, const char *b, size_t n, size_t loads)
{
	framecache_vector differ = { 0, 0 }, x, y;
	size_t i, at, last = n - 16;

#pragma GCC unroll 8
	for (i = 0; i < loads; i++) {
		at = 16 * i < last ? 16 * i : last;
		memcpy(&x, a + at, sizeof(x));
		memcpy(&y, b + at, sizeof(y));
		differ |= x ^ y;
	}
	return (differ[0] | differ[1]) == 0;
}

/*
 * The slot of a frame line.  It depends on the low digits of the address and
 * the text after it, in the columns that perf prints; for other text it is
 * arbitrary.  INPUT_PAD bytes after the line must be readable.
 */
static inline uint32_t
framecache_slot(const struct framecache *c, const char *p)
{
	uint64_t addr, name, slot;

	memcpy(&addr, p + 9, sizeof(addr));
	memcpy(&name, p + 17, sizeof(name));
	slot = (addr ^ name * c->factor[0]) * c->factor[1] >>
	       (64 - FRAMECACHE_BITS);
	__builtin_prefetch(&c->table[slot]);
	return (uint32_t)slot;
}

/* Start to load the memory that framecache_find() will read. */
static inline void
framecache_prefetch(const struct framecache *c, uint32_t slot)
{
	const char *p = (const char *)framecache_at(c, c->table[slot]);

	__builtin_prefetch(p);
	__builtin_prefetch(p + 64);
}

/* The frame of the line of len bytes at p, with its LF; NULL if not cached. */
struct framecache_frame *framecache_find(const struct framecache *c,
					 uint32_t slot, const char *p,
					 size_t len);

/*
 * Whether the bytes at p are those of a frame's line, if it is cached.  As many
 * bytes, and INPUT_PAD after them, must be readable.
 */
static inline bool
framecache_is(const struct framecache_frame *f, const char *p)
{
	const size_t len = f->len;

	return len <= 64  ? framecache_equal(f->text, p, len, 4) :
	       len <= 128 ? framecache_equal(f->text, p, len, 8) :
			    memcmp(f->text, p, len) == 0;
}

/* Store a line, with its LF, and the frame it was parsed into. */
struct framecache_frame *framecache_add(struct framecache *c, struct str text,
					const struct perfframe *f);

/* The symbol of a frame, and its address in *addr. */
struct framecache_symbol *framecache_symbol(const struct framecache *c,
					    const struct framecache_frame *f,
					    uint64_t *addr);

/* The offset of the address from its symbol, or PERFFRAME_NO_OFFSET. */
uint64_t framecache_offset(const struct framecache *c,
			   const struct framecache_frame *f);

/* Mark the symbols outermost that are so in another cache. */
void framecache_join_outermost(struct framecache *c,
			       const struct framecache *other);

#endif
