/* arrange.h - the frames of a tree in the order of drawing. */
#ifndef ARRANGE_H
#define ARRANGE_H

#include "tree.h"

/* What tree_finish() says, of a tree in which each frame has its own counts. */
struct count arrange_frames(struct tree *t, uint32_t max);

#endif
