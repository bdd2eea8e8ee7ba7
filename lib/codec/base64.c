/* base64.c - encode and decode base64. */
#include "codec/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_encode(struct buf *out, struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i, left;
	uint32_t w;
	char *q;

	buf_reserve(out, s.len / 3 * 4 + 4);
	for (i = 0; i < s.len; i += 3) {
		left = s.len - i;
		w = (uint32_t)p[i] << 16;
		w |= left > 1 ? (uint32_t)p[i + 1] << 8 : 0;
		w |= left > 2 ? p[i + 2] : 0;
		q = out->p + out->len;
		q[0] = digits[w >> 18];
		q[1] = digits[w >> 12 & 63];
		q[2] = left > 1 ? digits[w >> 6 & 63] : '=';
		q[3] = left > 2 ? digits[w & 63] : '=';
		out->len += 4;
	}
}

static int
value_of(char c)
{
	const char *p = c == '\0' ? NULL : strchr(digits, c);

	return p == NULL ? -1 : (int)(p - digits);
}

bool
base64_decode(struct buf *out, struct str s)
{
	uint32_t w = 0;
	unsigned bits = 0;
	size_t i;
	int value;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] != '\0' && strchr(" \t\r\n=", s.p[i]) != NULL)
			continue;
		value = value_of(s.p[i]);
		if (value < 0)
			return false;
		w = w << 6 | (uint32_t)value;
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		buf_char(out, (char)(w >> bits));
	}
	return true;
}
