/* bytes.c - a growing buffer that remembers a failed allocation. */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

void
bytes_add(struct bytes *b, const void *from, size_t n)
{
	size_t cap = b->cap == 0 ? 4096 : b->cap;
	char *p;

	if (b->failed || n == 0)
		return;
	while (cap < SIZE_MAX / 2 && cap - b->len < n)
		cap *= 2;
	if (cap != b->cap) {
		p = realloc(b->p, cap);
		b->failed = p == NULL || cap - b->len < n;
		if (p == NULL)
			return;
		b->p = p;
		b->cap = cap;
		if (b->failed)
			return;
	}
	memcpy(b->p + b->len, from, n);
	b->len += n;
}

void
bytes_u32(struct bytes *b, uint32_t n)
{
	bytes_add(b, &n, sizeof(n));
}

void
bytes_u64(struct bytes *b, uint64_t n)
{
	bytes_add(b, &n, sizeof(n));
}

void
bytes_text(struct bytes *b, const char *text)
{
	bytes_add(b, text, strlen(text) + 1);
}

void
bytes_set_u32(struct bytes *b, size_t at, uint32_t n)
{
	if (!b->failed)
		memcpy(b->p + at, &n, sizeof(n));
}

bool
bytes_grow(void **array, size_t *cap, size_t n, size_t size)
{
	const size_t more = *cap < 32 ? 64 : *cap * 2;
	void *p;

	if (n < *cap)
		return true;
	if (more > SIZE_MAX / size)
		return false;
	p = realloc(*array, more * size);
	if (p == NULL)
		return false;
	*array = p;
	*cap = more;
	return true;
}
