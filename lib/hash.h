/* hash.h - the hash of all tables. */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3 of n bytes: the same on every machine of one byte order. */
uint64_t hash_bytes(const void *p, size_t n);

/* XXH64 with seed 0, for columns that databases compute too. */
uint64_t hash_xxh64(const void *p, size_t n);

/*
 * A number that the writer of an input cannot know, and so not choose what is
 * at one place of a table; the same all through a process.
 */
uint64_t hash_seed(void);

#endif
