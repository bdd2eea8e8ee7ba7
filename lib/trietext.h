/* trietext.h - a trie as stacks again, in the order of folded text. */
#ifndef TRIETEXT_H
#define TRIETEXT_H

#include "buf.h"
#include "trie.h"

/*
 * Call visit for each frame of a trie in which a stack ends, as ends[i] that is
 * not zero says, with the stack's text.  Stacks come sorted by bytes, the
 * shorter first, which is not quite the order of the tree: "a b" is before
 * "a;b", though "a" is before both.
 */
void trietext_visit(const struct trie *t, const struct intern *names,
		    const uint32_t *ends,
		    void (*visit)(void *arg, uint32_t i, struct str stack),
		    void *arg);

/* Append the stack that ends in a frame, which is not the root. */
void trietext_stack(const struct trie *t, const struct intern *names,
		    uint32_t i, struct buf *out);

#endif
