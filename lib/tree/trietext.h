/* trietext.h - the stacks of a trie as folded text. */
#ifndef TRIETEXT_H
#define TRIETEXT_H

#include "base/buf.h"
#include "tree/trie.h"

/*
 * Call visit with the text of each stack: one for each frame i with ends[i]
 * not 0.  Stacks are sorted by bytes, as in folded(5).  This order is not quite
 * that of the tree: "a b" sorts between "a" and "a;b".
 */
void trietext_visit(const struct trie *t, const struct intern *names,
		    const uint32_t *ends,
		    void (*visit)(void *arg, uint32_t i, struct str stack),
		    void *arg);

/* Append the text of the stack that ends in a frame other than the root. */
void trietext_stack(const struct trie *t, const struct intern *names,
		    uint32_t i, struct buf *out);

#endif
