/* mem.c - memory allocation that does not fail. */
#include "base/mem.h"

#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *
mem_alloc(size_t size)
{
	void *p = malloc(size > 0 ? size : 1);

	if (p == NULL)
		err(2, NULL);
	return p;
}

void *
mem_zero(size_t n, size_t size)
{
	void *p = calloc(n > 0 ? n : 1, size);

	if (p == NULL)
		err(2, NULL);
	return p;
}

void *
mem_regrow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap, bytes;

	n = n < 8 ? 8 : n > SIZE_MAX / 2 ? need : 2 * n;
	if (n < need)
		n = need;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		err(2, NULL);
	}
	p = realloc(p, bytes);
	if (p == NULL)
		err(2, NULL);
	*cap = n;
	return p;
}

void *
mem_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		err(2, NULL);
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void
mem_unmap(void *p, size_t size)
{
	munmap(p, size);
}
