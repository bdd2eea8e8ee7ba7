/* rank.h - the order of stacks by bytes, told by their frames. */
#ifndef RANK_H
#define RANK_H

#include "intern.h"

/*
 * The text of a stack is its names with ';' between, and texts are compared
 * as bytes; but to build them all would cost more than the sort.  So each
 * name gets two ranks: of the name with ';' behind it, and of the name at the
 * end of a text.  Then stacks compare like the sequences of their ranks.
 */
struct ranks {
	uint32_t *inner, *last; /* by number of the name */
};

/* The ranks of all names in a table; release with ranks_free(). */
struct ranks ranks_new(const struct intern *names);
void ranks_free(struct ranks *r);

#endif
