/* mem.h - memory allocation that does not fail. */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Like malloc(3) and calloc(3), but end the program with status 2 when memory
 * runs out.  Release with free(3).
 */
void *mem_alloc(size_t size);
void *mem_zero(size_t n, size_t size);

/*
 * From now on, memory runs out when this process, and each child that it
 * starts, uses this number of bytes.
 */
void mem_set_limit(uint64_t bytes);

/*
 * From now on, map arrays of 4 MB and more: growing them moves pages, not
 * bytes, and touches no memory twice.  For commands that have few of them.
 */
void mem_map_large(void);

/* The slow path of mem_grow(). */
void *mem_regrow(void *p, size_t *cap, size_t need, size_t size);

/*
 * Make room for need elements of size bytes in array p, which has room for
 * *cap.  Returns p itself, or a larger array that replaces it, with *cap at
 * least doubled.  Start with NULL and 0; release with free(3).
 */
static inline void *
mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap ? p : mem_regrow(p, cap, need, size);
}

/*
 * Map a large region of zeros, for hot tables that exceed the first caches.
 * Only pages that are touched use memory; they are huge pages where the system
 * has them.  Release with mem_unmap().
 */
void *mem_map(size_t size);
void mem_unmap(void *p, size_t size);

#endif
