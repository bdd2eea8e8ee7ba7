/* callstack.h - the call stack of a perf sample, with the code of each frame.
 */
#ifndef CALLSTACK_H
#define CALLSTACK_H

#include "perf/jvm_stacks.h"
#include "symbols/resolve.h"

struct callstack_frame {
	const struct code *code; /* the resolver's */
	uint64_t address;
};

struct callstack {
	struct callstack_frame *frame; /* leaf first */
	size_t n, cap;
	bool truncated;  /* outer callers are missing */
	bool broken;     /* because the chain ends in no return address */
	bool is_chain;   /* user-mode frames come from frame pointers */
	bool leaf_only;  /* perf recorded no callers, only the instruction */
	bool deferred;   /* the user-mode part follows in a later record */
	uint64_t cookie; /* of that record, if deferred */
};

/* Builds the call stacks of one recording. */
struct callstack_builder;

/* The resolver and the features are the caller's and outlive the builder. */
struct callstack_builder *callstack_new(struct resolver *resolver,
					const struct perf_features *features);
void callstack_free(struct callstack_builder *b);

/*
 * Use snapshots of JVMs, which are the caller's and outlive the builder, for
 * copies of the stack.
 */
void callstack_use_jvms(struct callstack_builder *b, struct jvm_stacks *jvms,
			const struct resolve_options *how);

/*
 * A builder for another thread, with that thread's fork of the resolver.  NULL
 * if there are snapshots of JVMs.
 */
struct callstack_builder *callstack_fork(const struct callstack_builder *b,
					 struct resolver *resolver);

/* Whether the fork's stacks are those that b would have built. */
bool callstack_can_join(const struct callstack_builder *b,
			const struct callstack_builder *fork);

/* Add what the fork counted for the notes. */
void callstack_join(struct callstack_builder *b,
		    const struct callstack_builder *fork);

/*
 * Build the stack of a sample from what perf recorded: last branches in call
 * stack mode, a copy of the stack to unwind, a call chain, or the instruction
 * pointer alone.  Call resolve_at() for the sample first.  The stack is the
 * builder's and valid until the next call.
 *
 * If the recording is of a machine that we cannot unwind, the stack is the call
 * chain, and callstack_note() says so.
 */
const struct callstack *callstack_build(struct callstack_builder *b,
					const struct perf_record *r);

/* A thread has ended: its stacks need no more what was noted for them. */
void callstack_end_thread(struct callstack_builder *b, int64_t tid);

/*
 * The same for PERF_RECORD_CALLCHAIN_DEFERRED: the user-mode part of the
 * samples with its cookie.
 */
const struct callstack *callstack_build_deferred(struct callstack_builder *b,
						 const struct perf_record *r);

/*
 * Append the next line on stacks that could not be unwound; false if there are
 * no more.  Call it after the last sample.
 */
bool callstack_note(struct callstack_builder *b, struct buf *line);

#endif
