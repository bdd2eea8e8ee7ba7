/* peek.h - numbers at any offset in copied memory, in our own byte order. */
#ifndef PEEK_H
#define PEEK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The caller knows that the bytes are there. */
static inline uint64_t
peek_u64(const char *p, size_t offset)
{
	uint64_t n;

	memcpy(&n, p + offset, sizeof(n));
	return n;
}

static inline uint32_t
peek_u32(const char *p, size_t offset)
{
	uint32_t n;

	memcpy(&n, p + offset, sizeof(n));
	return n;
}

static inline int32_t
peek_i32(const char *p, size_t offset)
{
	return (int32_t)peek_u32(p, offset);
}

#endif
