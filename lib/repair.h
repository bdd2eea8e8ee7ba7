/* repair.h - truncated stacks, put upon the callers that they lack. */
#ifndef REPAIR_H
#define REPAIR_H

#include "fold.h"

/*
 * A stack without its callers is that of a whole one if that ends in just
 * its frames, is of the same process, and is the only one.
 */
struct repair;

struct repair *repair_new(void);
void repair_free(struct repair *r);

/*
 * Keep a truncated stack: nroot frames of its process, the one that says
 * that it is truncated, and those that are known.  False, and it is not
 * kept, if it can never be completed.
 */
bool repair_add(struct repair *r, const uint32_t *id, size_t n, size_t nroot,
		struct count count);

/*
 * Add all that was kept to the whole stacks, completed where it could be;
 * returns how many samples were.
 */
uint64_t repair_finish(struct repair *r, struct fold *whole);

#endif
