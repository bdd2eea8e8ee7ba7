/* hash.c - hash functions; the only file that includes xxhash. */
#include "base/hash.h"

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
hash_seeded(const void *p, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(p, n, seed);
}

uint64_t
hash_xxh64(const void *p, size_t n)
{
	return XXH64(p, n, 0);
}

/* The kernel gives each process 16 random bytes. */
uint64_t
hash_seed(void)
{
	static uint64_t seed; /* every look-up in a uthash table asks for it */
	const void *random;

	if (seed == 0) {
		random = (const void *)getauxval(AT_RANDOM);
		if (random != NULL)
			memcpy(&seed, random, sizeof(seed));
	}
	return seed;
}
