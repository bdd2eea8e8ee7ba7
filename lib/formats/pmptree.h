/* pmptree.h - reads the trees of calls that gdbpmp prints. */
#ifndef PMPTREE_H
#define PMPTREE_H

#include "reader/reader.h"

/*
 * Parse the line above the tree of a thread, "Thread: 1 (name) - 40 samples".
 * The name points into the line.
 */
bool pmptree_head(struct str line, struct str *name, uint64_t *samples);

/* Read an input to its end and push its samples, leaf first. */
void pmptree_read(struct input *in, struct sink *out);

#endif
