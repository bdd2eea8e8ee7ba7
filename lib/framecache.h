/* framecache.h - frame lines of perf script text, recognised when they recur.
 */
#ifndef FRAMECACHE_H
#define FRAMECACHE_H

#include "perfframe.h"

/*
 * A profile repeats a few ten thousand lines millions of times.  So a line is
 * understood once and kept; when it comes again, a comparison with its text is
 * all it takes.  What that costs is waiting for memory, and so the caller asks
 * for many lines at once, in three steps:
 *
 *	for each line	slot[i] = framecache_slot(c, line[i]);
 *	for each line	framecache_prefetch(c, slot[i]);
 *	for each line	frame = framecache_find(c, slot[i], line[i], len);
 */

#define NO_TOKEN UINT32_MAX

/* A function in a module, kept as long as the cache. */
struct symbol {
	struct str name, module; /* empty if missing */
	enum perfframe_kind kind;
	uint32_t token[2]; /* the caller's, NO_TOKEN at first */
};

/* A line, kept until framecache_limit() is true. */
struct cached_frame {
	uint32_t token[2]; /* the caller's, NO_TOKEN at first */
	uint32_t number;   /* in the order of framecache_add() */
	uint32_t len;      /* of text, 0 if it cannot be found */
	char text[];       /* the line with its LF */
};

struct framecache {
	char *pool;      /* the table, then the frames */
	uint32_t *table; /* places of frames in the pool, 0 for none */
	size_t used;
	struct framecache_more *more;
};

void framecache_init(struct framecache *c);
void framecache_free(struct framecache *c);

/* Forget the lines if they take too much room; symbols stay. */
bool framecache_limit(struct framecache *c);

#define FRAMECACHE_BITS 17
#define FRAMECACHE_UNIT 8 /* bytes; places count in these */

/* The frame at a place. */
static inline struct cached_frame *
framecache_at(const struct framecache *c, uint32_t place)
{
	return (struct cached_frame *)(void *)(c->pool +
					       (size_t)place * FRAMECACHE_UNIT);
}

/*
 * The slot of a frame line: by the low digits of its address and by what
 * follows, in the columns perf prints.  Elsewhere it is as good as any.
 * INPUT_PAD bytes behind the line are readable.
 */
static inline uint32_t
framecache_slot(const struct framecache *c, const char *p)
{
	uint64_t addr, name, slot;

	memcpy(&addr, p + 9, sizeof(addr));
	memcpy(&name, p + 17, sizeof(name));
	slot = (addr ^ name * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu >>
	       (64 - FRAMECACHE_BITS);
	__builtin_prefetch(&c->table[slot]);
	return (uint32_t)slot;
}

/* Begin to load what framecache_find() will need. */
static inline void
framecache_prefetch(const struct framecache *c, uint32_t slot)
{
	const char *p = (const char *)framecache_at(c, c->table[slot]);

	__builtin_prefetch(p);
	__builtin_prefetch(p + 64);
}

/* The frame of the line of len bytes at p, with its LF; NULL if unknown. */
struct cached_frame *framecache_find(const struct framecache *c, uint32_t slot,
				     const char *p, size_t len);

/* Keep a line, with its LF, as it was understood. */
struct cached_frame *framecache_add(struct framecache *c, struct str text,
				    const struct perfframe *f);

/* What a frame means. */
struct symbol *framecache_symbol(const struct framecache *c,
				 const struct cached_frame *f, uint64_t *addr);

/* How far behind its symbol its address is; NO_OFFSET if it is not known. */
uint64_t framecache_offset(const struct framecache *c,
			   const struct cached_frame *f);

#endif
