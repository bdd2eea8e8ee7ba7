/* str.h - borrowed slices of bytes. */
#ifndef STR_H
#define STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A slice of somebody else's bytes: not terminated, may hold any byte, never
 * freed.  It lives as long as what it points into; whoever keeps it longer
 * copies it (arena_str).  All zero is the empty slice.
 */
struct str {
	const char *p;
	size_t len;
};

/* The slice of a string literal. */
#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })

/* The slice of a C string. */
struct str str_of(const char *s);

/* What is said of n things: "sample is" of one, "samples are" of others. */
static inline const char *
str_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

/* The slice between two pointers into the same bytes. */
static inline struct str
str_range(const char *begin, const char *end)
{
	return (struct str){ begin, (size_t)(end - begin) };
}

static inline bool
str_eq(struct str a, struct str b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

/* Order by bytes, the shorter first: <0, 0, >0. */
int str_cmp(struct str a, struct str b);

static inline bool
str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len &&
	       (prefix.len == 0 || memcmp(s.p, prefix.p, prefix.len) == 0);
}

bool str_ends(struct str s, struct str suffix);

/* The first place of a byte or of a slice in s, or NULL. */
const char *str_find(struct str s, char c);
const char *str_search(struct str s, struct str what);

/* s without its first n bytes; the empty end of s if it has fewer. */
static inline struct str
str_skip(struct str s, size_t n)
{
	if (n > s.len)
		n = s.len;
	return n == 0 ? s : (struct str){ s.p + n, s.len - n };
}

/*
 * Cut s at the first c: return what stands before it and move s behind it.
 * Without a c, return all of s and leave s empty.
 */
struct str str_cut(struct str *s, char c);

/* A line without the CR that some systems put before the LF. */
static inline struct str
str_without_cr(struct str line)
{
	if (str_ends(line, STR("\r")))
		line.len--;
	return line;
}

/* s without blanks and tabs at its end, or at both ends. */
struct str str_rtrim(struct str s);
struct str str_trim(struct str s);

/* What follows the last slash, or all of s. */
struct str str_basename(struct str s);

/*
 * Read all of s as a number, decimal or hexadecimal without 0x.  False, with
 * *value as it was, if s is empty, holds anything else, or exceeds 64 bits.
 */
bool str_u64(struct str s, uint64_t *value);
bool str_hex(struct str s, uint64_t *value);

static inline bool
str_isdigit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit, or -1. */
int str_hexdigit(char c);

#endif
