/* buf.c - buffer of bytes that grows. */
#include "base/buf.h"

#include "base/fdname.h"
#include "base/mem.h"

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>

void
buf_reserve(struct buf *b, size_t n)
{
	size_t need;

	if (__builtin_add_overflow(b->len, n, &need))
		need = SIZE_MAX; /* mem_grow() fails */
	if (need > b->cap)
		b->p = mem_grow(b->p, &b->cap, need, 1);
}

void
buf_add(struct buf *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	buf_reserve(b, n);
	memcpy(b->p + b->len, p, n);
	b->len += n;
}

void
buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.len);
}

void
buf_char(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->p[b->len++] = c;
}

static void
add_number(struct buf *b, uint64_t n, unsigned base)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = "0123456789abcdef"[n % base];
		n /= base;
	} while (n > 0);
	buf_add(b, digits + i, sizeof(digits) - i);
}

void
buf_u64(struct buf *b, uint64_t n)
{
	add_number(b, n, 10);
}

void
buf_hex(struct buf *b, uint64_t n)
{
	add_number(b, n, 16);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		err(2, NULL);
	buf_reserve(b, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(b->p + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void
buf_write(struct buf *b, FILE *f)
{
	if (b->len > 0 && fwrite(b->p, 1, b->len, f) < b->len)
		err(2, "%s",
		    f == stdout ? "standard output" : fdname(fileno(f)));
	b->len = 0;
}

void
buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ 0 };
}
