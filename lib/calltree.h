/* calltree.h - a tree of calls whose frames are numbers. */
#ifndef CALLTREE_H
#define CALLTREE_H

#include "map.h"

#define CALLTREE_ROOT 0

/*
 * Nodes are numbered as they come; number 0 is the root, which is no frame.
 * A parent has a lower number than its children.
 */
struct calltree_node {
	uint32_t parent, frame;
	double self; /* what was spent in this very stack ... */
	double rest; /* ... less this, which was lost in adding it up */
	uint64_t n;  /* how often it was */
};

struct calltree {
	struct calltree_node *node;
	size_t n, cap;
	struct map children;
	struct map open; /* how often a frame is */
};

/* Begin with the root, and release. */
void calltree_init(struct calltree *t);
void calltree_free(struct calltree *t);

/* Spend time, or whatever it is, in the stack of a node. */
void calltree_spend(struct calltree *t, uint32_t node, double weight);

/* The child of a node that is a call to a frame, made if it is not there. */
uint32_t calltree_call(struct calltree *t, uint32_t node, uint32_t frame);

/* The same, and the call is open until it is left. */
uint32_t calltree_enter(struct calltree *t, uint32_t node, uint32_t frame);

/*
 * Leave the innermost call of a frame that is open and all in it: *node is then
 * its caller.  Returns how many were left, 0 if none of the frame was open.
 */
size_t calltree_leave(struct calltree *t, uint32_t *node, uint32_t frame);

/* Leave all that are open. */
void calltree_close(struct calltree *t);

#endif
