/* cpython_lines.c - source lines of CPython's code objects. */
#include "interp/cpython_lines.h"

#include "base/cursor.h"
#include "base/leb.h"

/* Pairs of bytes: how far to go on, in code and in lines. */
static uint32_t
find_in_lnotab(struct str table, uint32_t line, int64_t address, bool is_signed)
{
	int64_t at = 0;
	uint8_t lines;
	size_t i;

	for (i = 0; i + 1 < table.len; i += 2) {
		at += (uint8_t)table.p[i];
		if (at > address)
			break;
		lines = (uint8_t)table.p[i + 1];
		line += is_signed && lines > 127 ? lines - UINT32_C(256) :
						   lines;
	}
	return line;
}

/* The same, but a pair is for a range of code, which may have no line. */
static uint32_t
find_in_linetable(struct str table, uint32_t line, int64_t address)
{
	const uint8_t no_line = 0x80;
	int64_t end = 0;
	uint8_t lines;
	size_t i;

	for (i = 0; i + 1 < table.len; i += 2) {
		lines = (uint8_t)table.p[i + 1];
		if (lines != no_line)
			line += lines > 127 ? lines - UINT32_C(256) : lines;
		end += (uint8_t)table.p[i];
		if (address < end)
			return lines == no_line ? 0 : line;
	}
	return 0;
}

/* A variable-length number: six bits a byte, the lowest first. */
static uint32_t
read_varint(struct cursor *c)
{
	uint32_t n = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = leb_byte(c);
		if (shift < 32)
			n |= (uint32_t)(byte & 63) << shift;
		shift += 6;
	} while (byte & 64);
	return n;
}

/* Its lowest bit is the sign. */
static uint32_t
read_signed_varint(struct cursor *c)
{
	const uint32_t n = read_varint(c);

	return n & 1 ? 0 - (n >> 1) : n >> 1;
}

/*
 * Entries begin with a byte that has bit 7 set, kind and length; the kinds are
 * those of enum _PyCodeLocationInfoKind.
 */
static uint32_t
find_in_locations(struct str table, uint32_t line, int64_t address)
{
	enum { ONE_LINE0 = 10, ONE_LINE2 = 12, NO_COLUMNS, LONG, NONE };
	struct cursor c = cursor_of(table, false);
	int64_t at = 0;
	uint8_t head;
	unsigned kind;

	while (c.p < c.end) {
		head = leb_byte(&c);
		kind = head >> 3 & 15;
		if (kind == NO_COLUMNS || kind == LONG)
			line += read_signed_varint(&c);
		else if (kind >= ONE_LINE0 && kind <= ONE_LINE2)
			line += kind - ONE_LINE0;
		at += ((head & 7) + 1) * 2;
		if (address < at)
			return kind == NONE ? 0 : line;
		while (c.p < c.end && !(*c.p & 0x80))
			c.p++;
	}
	return 0;
}

uint32_t
cpython_lines_find(enum cpython_lines format, struct str table, uint32_t first,
		   int64_t address)
{
	if (address < 0)
		return first;
	switch (format) {
	case CPYTHON_LOCATIONS:
		return find_in_locations(table, first, address);
	case CPYTHON_LINETABLE:
		return find_in_linetable(table, first, address);
	default:
		return find_in_lnotab(table, first, address,
				      format == CPYTHON_LNOTAB);
	}
}
