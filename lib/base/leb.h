/* leb.h - LEB128, the variable-length numbers of DWARF. */
#ifndef LEB_H
#define LEB_H

#include "base/cursor.h"

/*
 * DWARF 5, 7.6: each byte has seven bits, the lowest first; all bytes but the
 * last have the top bit set.  Bits beyond 64 are dropped.  Sets *bits to the
 * number of bits.  If the data ends too early, returns 0 with 64 bits.
 */
static inline uint64_t
leb_read(struct cursor *c, unsigned *bits)
{
	uint64_t n = 0;
	struct str byte;

	*bits = 0;
	do {
		byte = cursor_bytes(c, 1);
		if (byte.len == 0) {
			*bits = 64;
			return 0;
		}
		if (*bits < 64)
			n |= (uint64_t)(*byte.p & 0x7f) << *bits;
		*bits += 7;
	} while (*byte.p & 0x80);
	return n;
}

static inline uint64_t
leb_unsigned(struct cursor *c)
{
	unsigned bits;

	return leb_read(c, &bits);
}

static inline int64_t
leb_signed(struct cursor *c)
{
	unsigned bits;
	uint64_t n = leb_read(c, &bits);

	if (bits < 64 && n >> (bits - 1) & 1)
		n |= ~UINT64_C(0) << bits;
	return (int64_t)n;
}

static inline uint8_t
leb_byte(struct cursor *c)
{
	struct str byte = cursor_bytes(c, 1);

	return byte.len == 1 ? (uint8_t)*byte.p : 0;
}

#endif
