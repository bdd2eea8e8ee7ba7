/* leaf_caller.h - the caller that x86 call chains lack after a leaf. */
#ifndef LEAF_CALLER_H
#define LEAF_CALLER_H

#include "symbols/resolve.h"
#include "unwind/unwind.h"

/*
 * A leaf function often has no frame record, and no function has one in its
 * first instructions and its last.  A chain of frame pointers then lacks the
 * caller, and unwind tables say so.  On aarch64, arm64_leaf.h finds it.
 */
struct leaf_callers;

/* The resolver is the caller's and outlives it. */
struct leaf_callers *leaf_caller_new(struct resolver *resolver);
void leaf_caller_free(struct leaf_callers *l);

enum leaf_caller_how {
	LEAF_CALLER_THERE,    /* or nothing is known */
	LEAF_CALLER_REPAIRED, /* the code of its callers has only one */
	LEAF_CALLER_MISSING,  /* but the rest of the chain is right */
	LEAF_CALLER_NO_CHAIN  /* nothing follows that could be right */
};

struct leaf_caller {
	enum leaf_caller_how how;
	uint64_t address; /* the return address, if repaired */
	bool several;     /* or another call in the same function */
};

/*
 * What the user-mode part of a chain lacks: n numbers from the leaf on, at
 * least 1.  Call resolve_at() for the sample first.  The thread has the
 * machine and the callbacks.
 */
struct leaf_caller leaf_caller_find(struct leaf_callers *l, struct unwind *u,
				    const struct unwind_thread *thread,
				    const uint64_t *chain, size_t n);

#endif
