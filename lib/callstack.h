/* callstack.h - the frames of a sample of perf, by whatever it recorded. */
#ifndef CALLSTACK_H
#define CALLSTACK_H

#include "resolve.h"

struct profile_frame {
	const struct code *code;
	uint64_t address;
};

/* Valid until the next one is made. */
struct callstack {
	struct profile_frame *frame; /* leaf first */
	size_t n, cap;
	bool truncated;  /* callers are missing */
	bool chain;      /* those of user mode are by frame pointers */
	bool bare;       /* only what ran was recorded */
	bool deferred;   /* those of user mode come later, */
	uint64_t cookie; /* by this number */
};

struct callstacks;

/* For one recording; resolver and features are the caller's. */
struct callstacks *callstacks_new(struct resolver *r,
				  const struct perf_features *features);
void callstacks_free(struct callstacks *c);

/*
 * The frames of a sample: those of its chain, its last branches where they
 * are calls, and what is unwound from its registers and its stack.  The
 * resolver must have been told of its moment.
 *
 * Ends the program with status 2 if the stack is of a machine that cannot be
 * unwound.
 */
const struct callstack *callstack_of(struct callstacks *c,
				     const struct perf_record *r);

/* Frames of user mode, of PERF_CALLCHAIN_DEFERRED. */
const struct callstack *callstack_deferred(struct callstacks *c,
					   const struct perf_record *r);

/* As resolver_note(): stacks that could not be unwound. */
bool callstacks_note(struct callstacks *c, struct buf *line);

#endif
