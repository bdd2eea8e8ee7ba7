/* trie.h - frames by what called them, each with a number from the start. */
#ifndef TRIE_H
#define TRIE_H

#include "intern.h"

/*
 * A frame, by its place in the array.  Number 0 is the root and has no name;
 * as child or next, 0 is none.  A parent has a lower number than its children;
 * a frame keeps its number.  (The frames of tree.h, which is for drawing, have
 * no numbers before all are there.)
 */
struct trie_frame {
	uint32_t name; /* in a table of names */
	uint32_t parent, child, next;
};

/* All zero but for what trie_init() sets; release with trie_free(). */
struct trie {
	struct trie_frame *frame;
	uint32_t n; /* places in the array, the root's included */

	/* Below here is trie.c's own. */
	size_t cap;
	uint64_t *slot;
	size_t mask, used;
	uint32_t *path, *path_id; /* of the stack before */
	size_t depth, path_cap, path_id_cap;
};

void trie_init(struct trie *t);
void trie_free(struct trie *t);

/*
 * The frame in which a stack of n frames ends, root first, which is made if
 * it is not there.  Ends the program with status 2 at 4 G frames.
 */
uint32_t trie_add(struct trie *t, const uint32_t *id, size_t n);

#endif
