/*
 * proto.h - messages of Protocol Buffers, field by field.
 *
 * The encoding: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROTO_H
#define PROTO_H

#include "buf.h"

/* One field of a message. */
struct proto {
	uint32_t number;
	bool is_bytes;    /* a string, a message, or packed numbers */
	uint64_t value;   /* of a number, as encoded */
	struct str bytes; /* in the message's own bytes */
};

/*
 * Cut the next field off the bytes of a message.  False at their end, and
 * where they are malformed: then something is left of them.
 */
bool proto_next(struct str *message, struct proto *field);

/* Cut a variable-length number off; false if it does not end in s. */
static inline bool
proto_varint(struct str *s, uint64_t *number)
{
	const char *p = s->p, *end = s->p + s->len;
	uint64_t n = 0;
	unsigned shift;

	/* Most are of one byte or two. */
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
 * Cut the next number off a field that may repeat: packed in its bytes, or
 * its value, once.  False if there is none left.  Malformed bytes set *bad.
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

/* Append a variable-length number, as it stands in packed fields. */
static inline void
proto_put(struct buf *out, uint64_t n)
{
	buf_reserve(out, 10);
	for (; n >= 0x80; n >>= 7)
		out->p[out->len++] = (char)(n | 0x80);
	out->p[out->len++] = (char)n;
}

/* Append a field that is a number, or bytes. */
void proto_put_number(struct buf *out, uint32_t field, uint64_t n);
void proto_put_bytes(struct buf *out, uint32_t field, struct str bytes);

#endif
