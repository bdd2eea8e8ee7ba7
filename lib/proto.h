/*
 * proto.h - messages of Protocol Buffers, field by field.
 *
 * The encoding: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROTO_H
#define PROTO_H

#include "str.h"

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

/*
 * Cut the next number off a field that may repeat: packed in its bytes, or
 * its value, once.  False if there is none left.  Malformed bytes set *bad.
 */
bool proto_number(struct proto *field, uint64_t *number, bool *bad);

/* Cut a variable-length number off; false if it does not end in s. */
static inline bool
proto_varint(struct str *s, uint64_t *number)
{
	const char *p = s->p, *end = s->p + s->len;
	uint64_t n = 0;
	unsigned shift;

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

#endif
