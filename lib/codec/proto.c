/* proto.c - read and write Protocol Buffers, field by field. */
#include "codec/proto.h"

enum { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

/* Cut off a little-endian number of n bytes. */
static bool
cut_fixed(struct str *s, size_t n, uint64_t *number)
{
	size_t i;

	if (s->len < n)
		return false;
	*number = 0;
	for (i = n; i > 0; i--)
		*number = *number << 8 | (unsigned char)s->p[i - 1];
	*s = str_skip(*s, n);
	return true;
}

static bool
cut_bytes(struct str *s, struct str *bytes)
{
	struct str rest = *s;
	uint64_t n;

	if (!proto_varint(&rest, &n) || n > rest.len)
		return false;
	*bytes = (struct str){ rest.p, (size_t)n };
	*s = str_skip(rest, (size_t)n);
	return true;
}

bool
proto_next(struct str *message, struct proto *field)
{
	struct str rest = *message;
	uint64_t tag;
	bool ok;

	if (rest.len == 0 || !proto_varint(&rest, &tag) ||
	    tag >> 3 > UINT32_MAX)
		return false;
	*field = (struct proto){ .number = (uint32_t)(tag >> 3) };
	switch (tag & 7) {
	case WIRE_VARINT:
		ok = proto_varint(&rest, &field->value);
		break;
	case WIRE_64:
		ok = cut_fixed(&rest, 8, &field->value);
		break;
	case WIRE_32:
		ok = cut_fixed(&rest, 4, &field->value);
		break;
	case WIRE_BYTES:
		field->is_bytes = true;
		ok = cut_bytes(&rest, &field->bytes);
		break;
	default:
		ok = false;
	}
	if (ok)
		*message = rest;
	return ok;
}

void
proto_put_number(struct buf *out, uint32_t field, uint64_t n)
{
	proto_put(out, (uint64_t)field << 3 | WIRE_VARINT);
	proto_put(out, n);
}

void
proto_put_bytes(struct buf *out, uint32_t field, struct str bytes)
{
	proto_put(out, (uint64_t)field << 3 | WIRE_BYTES);
	proto_put(out, bytes.len);
	buf_str(out, bytes);
}
