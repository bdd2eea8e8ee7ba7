/* treetext.h - a tree as stacks again, in the order of folded text. */
#ifndef TREETEXT_H
#define TREETEXT_H

#include "buf.h"
#include "tree.h"

/*
 * Call visit for each frame of a finished tree in which a stack ends, as
 * ends[i] says, with the stack's text.  Stacks come sorted by bytes, the
 * shorter first, which is not quite the order of the tree: "a b" is before
 * "a;b", though "a" is before both.
 */
void treetext_visit(const struct tree *t, const bool *ends,
		    void (*visit)(void *arg, uint32_t i, struct str stack),
		    void *arg);

/* Append the stack that ends in a frame, which is not the root. */
void treetext_stack(const struct tree *t, uint32_t i, struct buf *out);

#endif
