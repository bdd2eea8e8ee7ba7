/* utf8.c - check and escape text. */
#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Sequence length by the first byte; Unicode 3.9. */
static size_t
sequence_length(unsigned char c)
{
	return c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
}

/* Whether c may be the second byte after first. */
static bool
is_second(unsigned char first, unsigned char c)
{
	switch (first) {
	case 0xe0:
		return c >= 0xa0 && c <= 0xbf;
	case 0xed:
		return c >= 0x80 && c <= 0x9f;
	case 0xf0:
		return c >= 0x90 && c <= 0xbf;
	case 0xf4:
		return c >= 0x80 && c <= 0x8f;
	default:
		return c >= 0x80 && c <= 0xbf;
	}
}

size_t
utf8_length(const char *p, const char *end)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t i, n;

	if (*s < 0x80)
		return 1;
	n = sequence_length(*s);
	if (n == 0 || n > (size_t)(end - p) || !is_second(s[0], s[1]))
		return 0;
	for (i = 2; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

uint32_t
utf8_char(const char *p, size_t n)
{
	uint32_t c = (unsigned char)*p;
	size_t i;

	if (n > 1)
		c &= 0x7fu >> n;
	for (i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

static bool
is_control(const char *p, size_t len)
{
	unsigned char c = (unsigned char)*p;

	return c < 0x20 || c == 0x7f ||
	       (len == 2 && c == 0xc2 && (unsigned char)p[1] < 0xa0);
}

/* The number of bytes at the start of s that need no escape. */
static size_t
clean_length(struct str s)
{
	const char *p = s.p, *end = s.p + s.len;
	size_t n;

	while (p < end) {
		n = utf8_length(p, end);
		if (n == 0 || is_control(p, n))
			break;
		p += n;
	}
	return (size_t)(p - s.p);
}

#define BLOCK 32

/* Whether all bytes at p are printable ASCII. */
static bool
is_plain_block(const char *p)
{
#ifdef __SSE2__ /* on all x86-64 */
	const __m128i first = _mm_set1_epi8(' ' - 1), last = _mm_set1_epi8('~');
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(p + 16));
	/* Signed: bytes from 0x80 on are less than a blank. */
	__m128i low = _mm_and_si128(_mm_cmpgt_epi8(a, first),
				    _mm_cmpgt_epi8(b, first));
	__m128i high = _mm_or_si128(_mm_cmpgt_epi8(a, last),
				    _mm_cmpgt_epi8(b, last));

	return _mm_movemask_epi8(_mm_andnot_si128(high, low)) == 0xffff;
#else
	unsigned char bad = 0;
	size_t i;

	for (i = 0; i < BLOCK; i++)
		bad |= (unsigned char)(p[i] - ' ') >= '~' - ' ' + 1;
	return bad == 0;
#endif
}

void
utf8_put(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_char(out, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_char(out, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_char(out, (char)(0xe0 | c >> 12));
		} else {
			buf_char(out, (char)(0xf0 | (c >> 18 & 7)));
			buf_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_char(out, (char)(0x80 | (c & 0x3f)));
}

bool
utf8_isclean(struct str s)
{
	size_t i = 0;

	while (s.len - i >= BLOCK && is_plain_block(s.p + i))
		i += BLOCK;
	/* The last block overlaps the one before it. */
	if (i > 0 && s.len - i < BLOCK && is_plain_block(s.p + s.len - BLOCK))
		return true;
	s = str_skip(s, i);
	return s.len == 0 || clean_length(s) == s.len;
}

void
utf8_escape(struct buf *out, struct str s)
{
	size_t n;

	while (s.len > 0) {
		n = clean_length(s);
		buf_add(out, s.p, n);
		s = str_skip(s, n);
		if (s.len == 0)
			break;
		/* A C1 control is two bytes; both are escaped, one by one. */
		buf_printf(out, "\\x%02x", (unsigned char)*s.p);
		s = str_skip(s, 1);
	}
}
