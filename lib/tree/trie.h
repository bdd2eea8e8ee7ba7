/* trie.h - a trie of frames: each frame is a number and has a caller. */
#ifndef TRIE_H
#define TRIE_H

#include "base/intern.h"
#include "tree/childslots.h"

/*
 * A frame, by its number.  Number 0 is the root and has no name; as child or
 * next, 0 means none.  Numbers increase in the order of appearance and never
 * change, so a parent has a lower number than its children.  Children are
 * linked newest first.
 */
struct trie_frame {
	uint32_t name; /* number in a table of names */
	uint32_t parent, child, next;
};

/* Initialize with trie_init(), release with trie_free(). */
struct trie {
	struct trie_frame *frame;
	uint32_t n; /* number of frames, including the root */

	/* Private. */
	size_t cap;
	struct childslots slots;
	uint32_t *path, *path_id; /* frames and names of the previous stack */
	size_t depth, path_cap, path_id_cap;
};

void trie_init(struct trie *t);
void trie_free(struct trie *t);

/*
 * The last frame of a stack of n names, root first.  Missing frames are added.
 * Ends the program with status 2 at 4 G frames.
 */
uint32_t trie_add(struct trie *t, const uint32_t *id, size_t n);

/* The child of a frame with a name, or 0. */
uint32_t trie_find(const struct trie *t, uint32_t parent, uint32_t name);

/* The same, but add the child if it is missing. */
uint32_t trie_child(struct trie *t, uint32_t parent, uint32_t name);

#endif
