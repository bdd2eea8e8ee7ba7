/* bytes.h - a growing buffer that remembers a failed allocation. */
#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty; release with free(p). */
struct bytes {
	char *p;
	size_t len, cap;
	bool failed; /* something is missing: do not use it */
};

/* Append; after a failure this does nothing. */
void bytes_add(struct bytes *b, const void *from, size_t n);
void bytes_u32(struct bytes *b, uint32_t n);
void bytes_u64(struct bytes *b, uint64_t n);

/* Append a string and its NUL. */
void bytes_text(struct bytes *b, const char *text);

/* Set 32 bits at an offset that was appended before. */
void bytes_set_u32(struct bytes *b, size_t at, uint32_t n);

/*
 * Room for one more element of size bytes after n, which cap counts.  False,
 * and the array is as before, if there is no memory.
 */
bool bytes_grow(void **array, size_t *cap, size_t n, size_t size);

#endif
