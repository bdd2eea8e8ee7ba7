/* v8_positions.c - from a place in bytecodes to one in the script. */
#include "interp/v8_positions.h"

#include "interp/v8_string.h"

/* Larger tables are not read. */
enum { MAX_TABLE = 1 << 18 };

/* BytecodeArray, as much as is read. */
enum { BYTECODES_BYTES = 40 };

bool
v8_positions_is_bytecodes(struct v8_positions *p, const struct v8_layout *l,
			  struct interp_copy *copy, uint64_t object)
{
	uint64_t map;

	if (!v8_is_object(object) ||
	    !interp_copy_get(copy, object - 1, &map, sizeof(map),
			     BYTECODES_BYTES))
		return false;
	if (p->map != 0)
		return map == p->map;
	if (v8_string_type(copy, object) != l->bytecodes.type)
		return false;
	p->map = map;
	return true;
}

static void
read_table(struct v8_positions *p, const struct v8_layout *l,
	   struct interp_copy *copy, uint64_t bytecodes, struct buf *table)
{
	uint64_t array;
	int32_t n;

	if (!v8_positions_is_bytecodes(p, l, copy, bytecodes) ||
	    !interp_copy_get(copy, bytecodes - 1 + l->bytecodes.positions,
			     &array, sizeof(array), sizeof(array)) ||
	    array == p->none)
		return;
	if (v8_string_type(copy, array) != l->bytecodes.table_type) {
		p->none = array;
		return;
	}
	n = v8_small(v8_string_word(copy, array, V8_ARRAY_LENGTH));
	if (n <= 0 || n > MAX_TABLE)
		return;
	buf_reserve(table, (size_t)n);
	if (interp_copy_read(copy, array - 1 + V8_ARRAY_DATA, table->p,
			     (size_t)n))
		table->len = (size_t)n;
}

/* A number in groups of seven bits, the lowest first; the lowest is the sign.
 */
static bool
decode(const struct buf *table, size_t *at, int64_t *value)
{
	uint64_t n = 0, byte = 0x80;
	int shift;

	for (shift = 0; (byte & 0x80) != 0; shift += 7) {
		if (*at >= table->len || shift > 63)
			return false;
		byte = (unsigned char)table->p[(*at)++];
		n |= (byte & 0x7f) << shift;
	}
	*value = (int64_t)(n >> 1 ^ (0 - (n & 1)));
	return true;
}

/*
 * Entries are differences: of offsets from -1 on, which is the entry of the
 * function, negative where no statement begins; and of positions, with a bit
 * below them and 1 added.
 */
static int64_t
search(const struct buf *table, int64_t offset)
{
	const uint64_t mask = (UINT64_C(1) << 30) - 1;
	uint64_t at_offset = UINT64_MAX, at_position = 0;
	int64_t o, d, found = -1;
	size_t at = 0;

	while (decode(table, &at, &o) && decode(table, &at, &d)) {
		at_offset += (uint64_t)(o < 0 ? -(o + 1) : o);
		at_position += (uint64_t)d;
		if (at_offset != UINT64_MAX && at_offset > (uint64_t)offset)
			break;
		found = (int64_t)(at_position >> 1 & mask) - 1;
	}
	return found;
}

int64_t
v8_positions_find(struct v8_positions *p, const struct v8_layout *l,
		  struct interp_copy *copy, struct buf *table,
		  uint64_t bytecodes, int64_t offset)
{
	if (table->len == 0)
		read_table(p, l, copy, bytecodes, table);
	return table->len == 0 || offset < 0 ? -1 : search(table, offset);
}
