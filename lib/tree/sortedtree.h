/* sortedtree.h - a tree of stacks that come sorted by their bytes. */
#ifndef SORTEDTREE_H
#define SORTEDTREE_H

#include "tree/tree.h"

/*
 * In sorted input, a frame is complete when the next stack does not have it. If
 * there are more frames than will be drawn, the narrow ones are merged at once,
 * and their names are never looked up.
 */
struct sortedtree;

/* An empty tree that will draw at most max frames. */
struct sortedtree *sortedtree_new(struct intern *names, uint32_t max);
void sortedtree_free(struct sortedtree *t); /* may be NULL */

/*
 * Add a stack, frames with ';' between, which is not empty.  False if it sorts
 * before the previous one, if the count has decimals, or if this tree gets too
 * large.  Then nothing is added, and the tree is of no further use.
 */
bool sortedtree_add(struct sortedtree *t, struct str stack, struct count count);

/* Fill in a tree, as treelayout_finish() does. */
struct count sortedtree_finish(struct sortedtree *t, struct tree *to);

#endif
