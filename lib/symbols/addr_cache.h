/* addr_cache.h - code numbers by file and offset. */
#ifndef ADDR_CACHE_H
#define ADDR_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct addr_cache_slot;

/* All zero is an empty cache; release with addr_cache_free(). */
struct addr_cache {
	struct addr_cache_slot *slot; /* at most three quarters are used */
	size_t n, cap;
	uint64_t seed[2];
};

void addr_cache_free(struct addr_cache *a);

/* The code number, not 0, at an offset in a space; 0 if none was added. */
uint32_t addr_cache_find(const struct addr_cache *a, uint64_t offset,
			 uint32_t space);

/* Add a code number that addr_cache_find() does not have. */
void addr_cache_add(struct addr_cache *a, uint64_t offset, uint32_t space,
		    uint32_t code);

#endif
