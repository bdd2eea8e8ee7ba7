/* leb.h - numbers of variable length, as DWARF writes them. */
#ifndef LEB_H
#define LEB_H

#include "cursor.h"

/*
 * LEB128, DWARF 5, 7.6: seven bits a byte, the lowest first, the top bit of
 * all but the last byte set.  Bits beyond 64 are dropped.
 */
static inline uint64_t
leb_unsigned(struct cursor *c)
{
	uint64_t n = 0;
	unsigned shift = 0;
	struct str byte;

	do {
		byte = cursor_bytes(c, 1);
		if (byte.len == 0)
			return 0;
		if (shift < 64)
			n |= (uint64_t)(*byte.p & 0x7f) << shift;
		shift += 7;
	} while (*byte.p & 0x80);
	return n;
}

static inline int64_t
leb_signed(struct cursor *c)
{
	uint64_t n = 0;
	unsigned shift = 0;
	struct str byte;

	do {
		byte = cursor_bytes(c, 1);
		if (byte.len == 0)
			return 0;
		if (shift < 64)
			n |= (uint64_t)(*byte.p & 0x7f) << shift;
		shift += 7;
	} while (*byte.p & 0x80);
	if (shift < 64 && (*byte.p & 0x40))
		n |= ~UINT64_C(0) << shift;
	return (int64_t)n;
}

static inline uint8_t
leb_byte(struct cursor *c)
{
	struct str byte = cursor_bytes(c, 1);

	return byte.len == 1 ? (uint8_t)*byte.p : 0;
}

#endif
