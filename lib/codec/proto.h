/*
 * proto.h - read and write Protocol Buffers, field by field.
 *
 * The encoding: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROTO_H
#define PROTO_H

#include "base/buf.h"

/* One field of a message. */
struct proto {
	uint32_t number;
	bool is_bytes;    /* a string, a message, or packed numbers */
	uint64_t value;   /* value of a number, as encoded */
	struct str bytes; /* points into the message */
};

/*
 * Cut the next field off a message.  False at the end, and if the message is
 * malformed: then it is not empty.
 */
bool proto_next(struct str *message, struct proto *field);

/* Cut a variable-length number off s; false if it is incomplete. */
static inline bool
proto_varint(struct str *s, uint64_t *number)
{
	const char *p = s->p, *end = s->p + s->len;
	uint64_t n = 0;
	unsigned shift;

	/* Most numbers have one or two bytes. */
	if (end - p >= 2 && (p[0] & p[1] & 0x80) == 0) {
		*number = (uint64_t)(p[0] & 0x7f);
		if ((p[0] & 0x80) != 0)
			*number |= (uint64_t) * ++p << 7;
		*s = str_range(p + 1, end);
		return true;
	}
	for (shift = 0; p < end && shift < 64; shift += 7, p++) {
		n |= (uint64_t)(*p & 0x7f) << shift;
		if ((*p & 0x80) != 0)
			continue;
		*number = n;
		*s = str_range(p + 1, end);
		return true;
	}
	return false;
}

/*
 * Cut the next number off a repeated field, which is packed or a single number.
 * False at the end.  Malformed bytes set *bad.
 */
static inline bool
proto_number(struct proto *field, uint64_t *number, bool *bad)
{
	if (field->number == 0)
		return false;
	if (!field->is_bytes) {
		*number = field->value;
		field->number = 0;
		return true;
	}
	if (field->bytes.len == 0)
		return false;
	if (proto_varint(&field->bytes, number))
		return true;
	*bad = true;
	field->bytes.len = 0;
	return false;
}

/* Append a variable-length number, as in packed fields. */
static inline void
proto_put(struct buf *out, uint64_t n)
{
	buf_reserve(out, 10);
	for (; n >= 0x80; n >>= 7)
		out->p[out->len++] = (char)(n | 0x80);
	out->p[out->len++] = (char)n;
}

/* Append a field with a number or with bytes. */
void proto_put_number(struct buf *out, uint32_t field, uint64_t n);
void proto_put_bytes(struct buf *out, uint32_t field, struct str bytes);

#endif
