/* hash.h - hash functions: for tables, for colours and for databases. */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3 of n bytes: the same on all machines with the same byte order. */
uint64_t hash_bytes(const void *p, size_t n);

/*
 * XXH3 of n bytes, for tables.  With hash_seed() as the seed, the writer of an
 * input cannot choose keys that collide.
 */
uint64_t hash_seeded(const void *p, size_t n, uint64_t seed);

/* XXH64 with seed 0, for columns that databases compute as well. */
uint64_t hash_xxh64(const void *p, size_t n);

/* A random number that stays the same for the life of the process. */
uint64_t hash_seed(void);

#endif
