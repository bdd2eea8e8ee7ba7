/* trie.h - frames by what called them, each with a number from the start. */
#ifndef TRIE_H
#define TRIE_H

#include "intern.h"

/*
 * A frame, by its place in the array.  Number 0 is the root and has no name;
 * as child or next, 0 is none.  A parent has a lower number than its children.
 * Numbers grow in order of appearance, and a frame keeps its number; its
 * children are linked newest first.
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

/* A frame's child of a name, 0 if there is none. */
uint32_t trie_find(const struct trie *t, uint32_t parent, uint32_t name);

/* The same, made if there is none; or always made. */
uint32_t trie_child(struct trie *t, uint32_t parent, uint32_t name);
uint32_t trie_append(struct trie *t, uint32_t parent, uint32_t name);

/*
 * A stack on its way down: n names, and the frames found for the first of
 * them.  It is stuck where the trie has no more of it, or if it is not to go.
 */
struct trie_way {
	const uint32_t *id;
	uint32_t *at;
	size_t n, found;
	bool stuck;
};

/*
 * Let stacks go down together, each as far as there are frames.  In a trie of
 * millions, which is not in the caches, each step waits for memory: here the
 * others are on their way meanwhile.
 */
void trie_go_down(const struct trie *t, struct trie_way *way, size_t n);

#endif
