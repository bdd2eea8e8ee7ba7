/* buf.h - buffer of bytes that grows. */
#ifndef BUF_H
#define BUF_H

#include "base/str.h"

#include <stdio.h>

/* All zero is an empty buffer; release with buf_free(). */
struct buf {
	char *p;
	size_t len, cap;
};

/* Make room for n more bytes: the caller may write them at p + len. */
void buf_reserve(struct buf *b, size_t n);

/* Append to the buffer. */
void buf_add(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_char(struct buf *b, char c);
void buf_u64(struct buf *b, uint64_t n);
void buf_hex(struct buf *b, uint64_t n); /* lower case, no 0x */
void buf_printf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The bytes, valid until the buffer changes. */
static inline struct str
buf_slice(const struct buf *b)
{
	return (struct str){ b->p, b->len };
}

/*
 * Write the bytes to f and empty the buffer.  A failed write ends the program
 * with status 2.  The caller flushes f.
 */
void buf_write(struct buf *b, FILE *f);

void buf_free(struct buf *b);

#endif
