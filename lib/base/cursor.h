/* cursor.h - bounds-checked reader of binary data in either byte order. */
#ifndef CURSOR_H
#define CURSOR_H

#include "base/str.h"

/*
 * The bytes still to read.  Reading past the end returns zeros, sets bad and
 * moves the cursor to the end.  So a reader checks bad once, when it is done.
 */
struct cursor {
	const char *p, *end;
	bool swap; /* the data has the other byte order */
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

/* The next n bytes; empty if there are fewer, which sets bad. */
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

/* Copy the next n numbers to p; false if there are fewer, which sets bad. */
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

/* The next n bytes, up to the first NUL. */
static inline struct str
cursor_text(struct cursor *c, uint64_t n)
{
	struct str bytes = cursor_bytes(c, n);
	const char *nul = str_find(bytes, '\0');

	return nul == NULL ? bytes : str_range(bytes.p, nul);
}

#endif
