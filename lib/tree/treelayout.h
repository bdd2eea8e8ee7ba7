/* treelayout.h - a tree of runs as a tree of frames in the order of drawing. */
#ifndef TREELAYOUT_H
#define TREELAYOUT_H

#include "tree/runtree.h"
#include "tree/tree.h"

/*
 * Fill t, which is new, from runs that are finished, as tree_finish() says.
 * The runs are of no use afterwards but to be freed.
 */
struct count treelayout_finish(struct tree *t, struct runtree *runs,
			       uint32_t max);

#endif
