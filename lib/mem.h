/* mem.h - memory that is there or ends the program. */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>

/* Like malloc(3) and calloc(3), but exit with status 2 if there is none. */
void *mem_alloc(size_t size);
void *mem_zero(size_t n, size_t size);

/* What mem_grow() does where there is no room yet. */
void *mem_regrow(void *p, size_t *cap, size_t need, size_t size);

/*
 * Make room for at least need elements of size bytes in array p, which has
 * room for *cap: returns p itself, or the moved array with *cap at least
 * doubled.  Start with NULL and 0; release with free(3).
 */
static inline void *
mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? p : mem_regrow(p, cap, need, size);
}

/*
 * A large region of zeros that costs only what is touched of it, in huge
 * pages where the system has them: for tables that are hot and too large for
 * the first caches.  mem_unmap() releases it.
 */
void *mem_map(size_t size);
void mem_unmap(void *p, size_t size);

#endif
