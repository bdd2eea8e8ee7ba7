/* code_cache.c - the code found at recent addresses. */
#include "symbols/code_cache.h"

#include "base/mem.h"

#define SIZE (sizeof(struct code_cache_slot) << CODE_CACHE_BITS)

void
code_cache_init(struct code_cache *c)
{
	c->slot = mem_map(SIZE);
}

void
code_cache_free(struct code_cache *c)
{
	mem_unmap(c->slot, SIZE);
}

void
code_cache_prefetch(const struct code_cache *c, struct str numbers)
{
	uint64_t address;

	for (; numbers.len >= sizeof(address);
	     numbers = str_skip(numbers, sizeof(address))) {
		memcpy(&address, numbers.p, sizeof(address));
		__builtin_prefetch(code_cache_slot(c, address));
	}
}
