/* str.c - slices of bytes that belong to somebody else. */
#include "base/str.h"

struct str
str_of(const char *s)
{
	return (struct str){ s, strlen(s) };
}

int
str_cmp(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n == 0 ? 0 : memcmp(a.p, b.p, n);

	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

bool
str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len &&
	       str_eq(str_skip(s, s.len - suffix.len), suffix);
}

const char *
str_find(struct str s, char c)
{
	return s.len == 0 ? NULL : memchr(s.p, c, s.len);
}

const char *
str_search(struct str s, struct str needle)
{
	return s.len == 0 ? NULL : memmem(s.p, s.len, needle.p, needle.len);
}

struct str
str_cut(struct str *s, char c)
{
	const char *end = str_find(*s, c);
	struct str head = *s;

	if (end == NULL) {
		*s = str_skip(*s, s->len);
		return head;
	}
	head.len = (size_t)(end - head.p);
	*s = str_skip(*s, head.len + 1);
	return head;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct str
str_rtrim(struct str s)
{
	while (s.len > 0 && is_blank(s.p[s.len - 1]))
		s.len--;
	return s;
}

struct str
str_trim(struct str s)
{
	while (s.len > 0 && is_blank(*s.p))
		s = str_skip(s, 1);
	return str_rtrim(s);
}

struct str
str_basename(struct str s)
{
	const char *slash = s.len == 0 ? NULL : memrchr(s.p, '/', s.len);

	return slash == NULL ? s : str_range(slash + 1, s.p + s.len);
}

bool
str_u64(struct str s, uint64_t *value)
{
	uint64_t n = 0;
	size_t i;

	if (s.len == 0)
		return false;
	for (i = 0; i < s.len; i++) {
		if (!str_isdigit(s.p[i]) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(s.p[i] - '0'), &n))
			return false;
	}
	*value = n;
	return true;
}

bool
str_size(struct str s, uint64_t *value)
{
	static const char letters[] = "KMGT";
	uint64_t n;
	int shift = 0, i;

	for (i = 0; i < 4 && shift == 0; i++)
		if (str_ends(s, (struct str){ &letters[i], 1 }))
			shift = 10 * (i + 1);
	s.len -= shift > 0;
	if (!str_u64(s, &n) || n > UINT64_MAX >> shift)
		return false;
	*value = n << shift;
	return true;
}

int
str_hexdigit(char c)
{
	if (str_isdigit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool
str_hex(struct str s, uint64_t *value)
{
	uint64_t n = 0;
	size_t i;
	int digit;

	if (s.len == 0)
		return false;
	for (i = 0; i < s.len; i++) {
		digit = str_hexdigit(s.p[i]);
		if (digit < 0 || n >> 60 != 0)
			return false;
		n = n << 4 | (uint64_t)digit;
	}
	*value = n;
	return true;
}

static uint64_t
word_at(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* Whether 32 bytes are equal. */
static bool
is_same_block(const char *a, const char *b)
{
	uint64_t differs = word_at(a) ^ word_at(b);

	differs |= word_at(a + 8) ^ word_at(b + 8);
	differs |= word_at(a + 16) ^ word_at(b + 16);
	differs |= word_at(a + 24) ^ word_at(b + 24);
	return differs == 0;
}

size_t
str_common(struct str a, struct str b)
{
	size_t i = 0, n = a.len < b.len ? a.len : b.len;

	while (i + 32 <= n && is_same_block(a.p + i, b.p + i))
		i += 32;
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}
