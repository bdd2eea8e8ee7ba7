/* code_cache.h - the code found at recent addresses. */
#ifndef CODE_CACHE_H
#define CODE_CACHE_H

#include "base/str.h"

#include <stddef.h>

/*
 * A direct-mapped cache: one slot for each value of the hash, and a new entry
 * replaces the old one.  So no input can make it slower than no cache.
 *
 * The hash takes the address alone, because the next sample's addresses are
 * known before its process's memory is: code_cache_prefetch().
 */
struct code_cache_slot {
	uint64_t address;
	uint32_t key; /* the caller's, not 0: memory and kind of address */
	uint32_t code;
};

/* 2 MB, which is one huge page. */
enum { CODE_CACHE_BITS = 17 };

struct code_cache {
	struct code_cache_slot *slot;
};

void code_cache_init(struct code_cache *c);
void code_cache_free(struct code_cache *c);

/* The slot of an address, which may hold another address or another key. */
static inline struct code_cache_slot *
code_cache_slot(const struct code_cache *c, uint64_t address)
{
	return &c->slot[address * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - CODE_CACHE_BITS)];
}

/*
 * Fetch the slots of all addresses among these 64-bit numbers from memory:
 * they are needed in the next sample but one.
 */
void code_cache_prefetch(const struct code_cache *c, struct str numbers);

#endif
