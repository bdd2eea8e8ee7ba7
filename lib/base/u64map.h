/*
 * u64map.h - a hash table from numbers in a trace, such as ids and addresses,
 * to our numbers.
 *
 * It does not use base/table.h, because readers look up several keys for each
 * event.  A look-up with uthash takes 5 to 7 times as long, and
 * stackcollapse-speedscope takes 1.4 times as long for a profile of calls.
 */
#ifndef U64MAP_H
#define U64MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct u64map_slot;

/* All zero is an empty map.  u64map_free() releases it and empties it. */
struct u64map {
	/* Private to u64map.c. */
	struct u64map_slot *slots;
	size_t mask, n;
	uint64_t seed;
};

void u64map_free(struct u64map *m);

/* Set the value of a key; replaces an earlier value. */
void u64map_put(struct u64map *m, uint64_t key, uint32_t value);

/* Get the value of a key; false, with *value unchanged, if it has none. */
bool u64map_get(const struct u64map *m, uint64_t key, uint32_t *value);

#endif
