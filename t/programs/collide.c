/*
 * collide - keys that share a small part of a hash table.
 *
 *	collide KIND N [WHICH]
 *
 * Prints N keys, one a line, that a table of KIND without a seed, or with the
 * seed 0, puts into a small part of its slots, so that it compares each with
 *all that came before.  WHICH is "plain" for as many that are in all parts.
 *
 *	names		of functions, by XXH3: lib/base/intern.c
 *	stacks		two numbers of names, by XXH3: lib/folded/fold.c
 *	numbers		of 64 bits, by XXH3: all tables of uthash
 *	map		numbers, by the function of lib/base/u64map.c
 *	recent		addresses in one slot of lib/symbols/code_cache.h
 *	children	numbers of a frame and of a name below it, by the
 *function of lib/tree/childslots.h addresses	by the function of
 *lib/symbols/addr_cache.c
 */
#include "base/hash.h"
#include "symbols/code_cache.h"
#include "tree/childslots.h"

#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 131072, PARTS = 64, NAMES = 4096 };

/* Open addressing: the first of these slots. */
static bool
is_in_part(uint64_t hash)
{
	return hash % SLOTS < SLOTS / PARTS;
}

/* Chains of uthash: one of the first that there are. */
static bool
is_in_chain(uint64_t hash)
{
	return hash % (4 * PARTS) == 0;
}

static uint64_t
of_names(uint64_t i, char *key, size_t size)
{
	snprintf(key, size, "f%" PRIu64, i);
	return hash_seeded(key, strlen(key), 0);
}

static uint64_t
of_stacks(uint64_t i, char *key, size_t size)
{
	const uint32_t id[] = { (uint32_t)(i / NAMES), (uint32_t)(i % NAMES) };

	snprintf(key, size, "%" PRIu32 " %" PRIu32, id[0], id[1]);
	return hash_seeded(id, sizeof(id), 0);
}

static uint64_t
of_numbers(uint64_t i, char *key, size_t size)
{
	snprintf(key, size, "%" PRIu64, i);
	return hash_seeded(&i, sizeof(i), 0);
}

static uint64_t
of_map(uint64_t i, char *key, size_t size)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h = i * odd;

	snprintf(key, size, "%" PRIu64, i);
	return (h ^ h >> 32) * odd >> 32;
}

static uint64_t
of_children(uint64_t i, char *key, size_t size)
{
	const struct childslots s = { .seed = 0 };
	const uint32_t parent = (uint32_t)(i / NAMES), name = i % NAMES;

	snprintf(key, size, "%" PRIu32 " %" PRIu32, parent, name);
	/* Frame 0 is the root. */
	return childslots_hash(&s, parent + 1, name);
}

/* A small factor that everybody knows leaves the high half as it is. */
static uint64_t
of_addresses(uint64_t i, char *key, size_t size)
{
	const uint64_t high = i * UINT64_C(0x9e3779b97f4a7c15) >> 40;

	snprintf(key, size, "%#" PRIx64, high << 32 | 16 * i);
	return high;
}

static bool
is_in_slot(uint64_t hash)
{
	return hash == 0;
}

static uint64_t
of_recent(uint64_t i, char *key, size_t size)
{
	snprintf(key, size, "%#" PRIx64, 16 * i);
	return 16 * i * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CODE_CACHE_BITS);
}

static const struct kind {
	const char *name;
	uint64_t (*hash)(uint64_t i, char *key, size_t size);
	bool (*collides)(uint64_t hash);
} kinds[] = {
	{ "names", of_names, is_in_part },
	{ "stacks", of_stacks, is_in_part },
	{ "numbers", of_numbers, is_in_chain },
	{ "map", of_map, is_in_part },
	{ "children", of_children, is_in_part },
	{ "addresses", of_addresses, is_in_part },
	{ "recent", of_recent, is_in_slot },
};

int
main(int argc, char *argv[])
{
	const struct kind *k = kinds, *end = k + sizeof(kinds) / sizeof(*k);
	unsigned long n;
	uint64_t i;
	bool plain;
	char key[64];

	while (argc >= 3 && k < end && strcmp(k->name, argv[1]) != 0)
		k++;
	if (argc < 3 || k == end)
		errx(2, "usage: collide KIND N [plain]");
	n = strtoul(argv[2], NULL, 10);
	plain = argc > 3 && strcmp(argv[3], "plain") == 0;
	/* The same number of digits in both. */
	for (i = 100; n > 0; i++) {
		if (!k->collides(k->hash(i, key, sizeof(key))) && !plain)
			continue;
		puts(key);
		n--;
		if (plain)
			i += PARTS - 1;
	}
	return fflush(stdout) != 0;
}
