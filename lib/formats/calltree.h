/* calltree.h - a tree of calls, and what was spent in each stack. */
#ifndef CALLTREE_H
#define CALLTREE_H

#include "base/u64map.h"

#define CALLTREE_ROOT 0

/*
 * Nodes are numbered in the order they are made.  Node 0 is the root, which is
 * no frame.  A parent has a lower number than its children.
 */
struct calltree_node {
	uint32_t parent, frame;
	double self; /* spent in this stack, without its calls ... */
	double rest; /* ... less this rounding error */
	uint64_t n;  /* calls of calltree_spend() */
};

struct calltree {
	struct calltree_node *node;
	size_t n, cap;
	struct u64map children; /* by parent and frame */
	struct u64map open;     /* number of open calls, by frame */
};

/* Begin with the root alone, and release. */
void calltree_init(struct calltree *t);
void calltree_free(struct calltree *t);

/* Add time, or another cost, to the stack of a node. */
void calltree_spend(struct calltree *t, uint32_t node, double weight);

/*
 * The child of a node for a call to a frame, made if missing.  Ends the program
 * with status 2 at 2^32 nodes.
 */
uint32_t calltree_call(struct calltree *t, uint32_t node, uint32_t frame);

/* The same, and the call stays open until it is left. */
uint32_t calltree_enter(struct calltree *t, uint32_t node, uint32_t frame);

/*
 * Leave the innermost open call of a frame, and all calls in it.  *node becomes
 * its caller.  Returns the number of calls left, 0 if none of the frame is
 * open.
 */
size_t calltree_leave(struct calltree *t, uint32_t *node, uint32_t frame);

/* Leave all open calls. */
void calltree_close(struct calltree *t);

#endif
