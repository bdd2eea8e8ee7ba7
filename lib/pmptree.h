/* pmptree.h - the trees of calls that gdbpmp prints. */
#ifndef PMPTREE_H
#define PMPTREE_H

#include "reader.h"

/* "Thread: 1 (name) - 40 samples", above the tree of a thread. */
bool pmptree_head(struct str line, struct str *name, uint64_t *samples);

/* Read an input to its end; samples are pushed leaf first. */
void pmptree_read(struct input *in, struct sink *out);

#endif
