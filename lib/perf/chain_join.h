/* chain_join.h - a copied stack that goes on as a chain of frame pointers. */
#ifndef CHAIN_JOIN_H
#define CHAIN_JOIN_H

#include "unwind/unwind.h"

/*
 * A sample may have both a chain of frame pointers, whole but without the
 * functions that have no frame record, and a copy of the top of the stack,
 * which unwind tables follow exactly as far as it goes.  If the record of a
 * frame in the copy is a record of the chain, too, the chain has its callers.
 */
struct chain_join {
	uint64_t *pointer; /* frame pointers of the chain, rising */
	size_t n, cap;
};

void chain_join_free(struct chain_join *j);

struct chain_join_stack {
	size_t keep;  /* of the unwound frames; then come */
	size_t first; /* these numbers of the chain, */
	size_t end;   /* up to before this one */
	bool joined;
	bool truncated; /* the caller of the last one is missing */
};

/*
 * Join n unwound frames, at least 1, of a stack that has more, and a chain of
 * length numbers, leaf first.  Truncated is not set if the chain ends: its
 * caller knows whether it was too long.
 */
struct chain_join_stack chain_join(struct chain_join *j, struct unwind *u,
				   const struct unwind_thread *thread,
				   const struct unwind_frame *frames, size_t n,
				   const uint64_t *chain, size_t length);

#endif
