/* cursor.h - a walk over bytes of either byte order that never leaves them. */
#ifndef CURSOR_H
#define CURSOR_H

#include "str.h"

/*
 * What is still to be read.  Reading more than there is gives zeros, sets bad
 * and leaves the cursor at its end, so that a reader tests once, at its own
 * end.
 */
struct cursor {
	const char *p, *end;
	bool swap; /* the bytes are of the other byte order */
	bool bad;
};

static inline struct cursor
cursor_of(struct str bytes, bool swap)
{
	const char *p = bytes.p == NULL ? "" : bytes.p;

	return (struct cursor){ p, p + bytes.len, swap, false };
}

static inline size_t
cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

/* The next n bytes; empty, and the cursor bad, if there are fewer. */
static inline struct str
cursor_bytes(struct cursor *c, uint64_t n)
{
	struct str bytes = { c->p, (size_t)n };

	if (n > cursor_left(c)) {
		c->bad = true;
		c->p = c->end;
		return (struct str){ c->p, 0 };
	}
	c->p += n;
	return bytes;
}

static inline uint16_t
cursor_u16(struct cursor *c)
{
	struct str bytes = cursor_bytes(c, 2);
	uint16_t n = 0;

	if (bytes.len == 2)
		memcpy(&n, bytes.p, 2);
	return c->swap ? __builtin_bswap16(n) : n;
}

static inline uint32_t
cursor_u32(struct cursor *c)
{
	struct str bytes = cursor_bytes(c, 4);
	uint32_t n = 0;

	if (bytes.len == 4)
		memcpy(&n, bytes.p, 4);
	return c->swap ? __builtin_bswap32(n) : n;
}

static inline uint64_t
cursor_u64(struct cursor *c)
{
	struct str bytes = cursor_bytes(c, 8);
	uint64_t n = 0;

	if (bytes.len == 8)
		memcpy(&n, bytes.p, 8);
	return c->swap ? __builtin_bswap64(n) : n;
}

/*
 * The next n numbers of 64 bits, copied to p, which has room for them; false,
 * and the cursor bad, if there are fewer.
 */
static inline bool
cursor_u64s(struct cursor *c, uint64_t *p, uint64_t n)
{
	size_t i;

	if (n > cursor_left(c) / 8) {
		c->bad = true;
		c->p = c->end;
		return false;
	}
	if (n > 0)
		memcpy(p, c->p, (size_t)n * 8);
	c->p += n * 8;
	for (i = 0; c->swap && i < n; i++)
		p[i] = __builtin_bswap64(p[i]);
	return true;
}

/* What stands before the first NUL of the next n bytes, or all of them. */
static inline struct str
cursor_text(struct cursor *c, uint64_t n)
{
	struct str bytes = cursor_bytes(c, n);
	const char *nul = str_find(bytes, '\0');

	return nul == NULL ? bytes : str_range(bytes.p, nul);
}

#endif
