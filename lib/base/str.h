/* str.h - slices of bytes that belong to somebody else. */
#ifndef STR_H
#define STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * A slice of bytes.  It may contain any byte, and no NUL follows it.  It does
 * not own its bytes and is valid as long as they are; copy it with arena_str()
 * to use it longer.  All zero is the empty slice.
 */
struct str {
	const char *p;
	size_t len;
};

/* The slice of a string literal. */
#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })

/* The slice of a C string. */
struct str str_of(const char *s);

/* One of two phrases by number: "sample is" for 1, "samples are" otherwise. */
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

/* Compare by bytes, as for qsort(3); a prefix sorts first. */
int str_cmp(struct str a, struct str b);

static inline bool
str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len &&
	       (prefix.len == 0 || memcmp(s.p, prefix.p, prefix.len) == 0);
}

bool str_ends(struct str s, struct str suffix);

/* The length of the common prefix of a and b. */
size_t str_common(struct str a, struct str b);

/* The first occurrence of a byte or a slice in s, or NULL. */
const char *str_find(struct str s, char c);
const char *str_search(struct str s, struct str needle);

/* s without its first n bytes; the empty slice at its end if it has fewer. */
static inline struct str
str_skip(struct str s, size_t n)
{
	if (n > s.len)
		n = s.len;
	return n == 0 ? s : (struct str){ s.p + n, s.len - n };
}

/*
 * Cut s at the first c: return the part before c, and set s to the part after
 * it.  If there is no c, return all of s and set s to its empty end.
 */
struct str str_cut(struct str *s, char c);

/* A line without a CR at its end, as in text from Windows. */
static inline struct str
str_without_cr(struct str line)
{
	if (str_ends(line, STR("\r")))
		line.len--;
	return line;
}

/* s without spaces and tabs at its end, or at both ends. */
struct str str_rtrim(struct str s);
struct str str_trim(struct str s);

/* The part after the last slash, or all of s. */
struct str str_basename(struct str s);

/*
 * Parse all of s as a number, decimal or hexadecimal without 0x.  False, with
 * *value unchanged, if s is empty, has other bytes, or exceeds 64 bits.
 */
bool str_u64(struct str s, uint64_t *value);

/* The same for a number of bytes, which may end in K, M, G or T: 64M. */
bool str_size(struct str s, uint64_t *value);
bool str_hex(struct str s, uint64_t *value);

static inline bool
str_isdigit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit, or -1. */
int str_hexdigit(char c);

#endif
