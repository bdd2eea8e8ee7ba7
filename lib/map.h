/* map.h - a table from numbers of a trace, as ids and addresses, to ours. */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot;

/* All zero is an empty map; release with map_free(). */
struct map {
	struct map_slot *slots;
	size_t mask, n;
	uint64_t seed;
};

void map_free(struct map *m);

/* Set what a key stands for, in place of what it stood for. */
void map_put(struct map *m, uint64_t key, uint32_t value);

/* What a key stands for; false, with *value as it was, if nothing. */
bool map_get(const struct map *m, uint64_t key, uint32_t *value);

#endif
