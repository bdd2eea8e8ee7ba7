/* hash.c - the hash of all tables; the only file that sees xxhash. */
#include "hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t
hash_bytes(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}

uint64_t
hash_xxh64(const void *p, size_t n)
{
	return XXH64(p, n, 0);
}
