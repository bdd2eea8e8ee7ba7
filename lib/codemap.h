/* codemap.h - what code a virtual machine has at an address, as it moves. */
#ifndef CODEMAP_H
#define CODEMAP_H

#include <stdbool.h>
#include <stdint.h>

struct codemap_range;

/* All zero is an empty map; release with codemap_free(). */
struct codemap {
	void *root;
};

void codemap_free(struct codemap *m);

/* Put code at size bytes from start on, in place of all that lay there. */
void codemap_put(struct codemap *m, uint64_t start, uint64_t size,
		 uint32_t code);

/* Move what starts at an address; false if nothing does. */
bool codemap_move(struct codemap *m, uint64_t from, uint64_t to);
bool codemap_remove(struct codemap *m, uint64_t start);

/* The code at an address; false if there is none. */
bool codemap_find(const struct codemap *m, uint64_t address, uint32_t *code);

#endif
