/* hash.c - the hash of all tables; the only file that sees xxhash. */
#include "hash.h"

#define XXH_INLINE_ALL
#include <string.h>
#include <sys/auxv.h>
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

/* The kernel's random bytes. */
uint64_t
hash_seed(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t seed = 0;

	if (random != NULL)
		memcpy(&seed, random, sizeof(seed));
	return seed;
}
