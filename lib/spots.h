/* spots.h - what code is at a spot, found once for all processes. */
#ifndef SPOTS_H
#define SPOTS_H

#include <stddef.h>
#include <stdint.h>

struct spot;

/* A hash table; all zero is empty. */
struct spots {
	struct spot *table; /* at most three quarters full */
	size_t n, cap;
};

void spots_free(struct spots *p);

/*
 * The number, above 0, of the code at an offset of what the caller numbers, as
 * it does files; 0 if none was added.
 */
uint32_t spots_find(const struct spots *p, uint64_t offset, uint32_t where);
void spots_add(struct spots *p, uint64_t offset, uint32_t where, uint32_t code);

#endif
