/* callstack-internal.h - how the call stacks of perf samples are built: chains,
 * copies of the stack, and notes on both. */
#ifndef CALLSTACK_INTERNAL_H
#define CALLSTACK_INTERNAL_H

#include "perf/arm64_leaf.h"
#include "perf/callstack.h"
#include "perf/chain_join.h"
#include "perf/leaf_caller.h"
#include "perf/probeargs.h"
#include "perf/uretprobe.h"
#include "unwind/unwind.h"

/*
 * The last result at one distance from the root.  Most callers of a sample are
 * those of the sample before.  This cache finds them in a few cache lines,
 * while a table of addresses of a large program fills the whole cache.
 */
struct cached_caller {
	uint64_t address, moment;
	const struct code *code;
	enum resolve_mode mode;
	bool is_return;
};

/* Frames of Java. */
struct callstack_java {
	struct jvm_stacks *jvms; /* NULL: no snapshots */
	bool lines, inlines;
	bool may_be; /* there is a snapshot for the stack unwound last */
};

struct callstack_builder {
	struct resolver *resolver;
	const struct perf_features *features;
	struct callstack stack;
	struct cached_caller *callers; /* of chains, by distance from root */
	size_t callers_cap;

	/* To guess the limits that a recording does not state. */
	size_t longest_chain;
	size_t most_branches;

	struct unwind *unwind;        /* NULL: not needed yet */
	const struct arch *arch;      /* of the recording, if unwind is */
	struct unwind_frame *unwound; /* frames of the last stack */
	size_t unwound_cap;
	struct uretprobes *uretprobes;
	struct probeargs *probeargs;
	struct arm64_leaf *arm64_leaf;
	struct leaf_callers *leaf_callers;
	struct unwind_thread code; /* without registers and stack, for these */
	struct chain_join join;
	struct callstack_java java;

	/* Counts of stacks, for the notes. */
	uint64_t stacks;
	uint64_t repaired;   /* the leaf's caller was missing, and found */
	uint64_t missing;    /* and not found */
	uint64_t foreign;    /* of a machine that we cannot unwind */
	uint64_t narrow;     /* of 32-bit processes */
	uint64_t copies;     /* unwound */
	uint64_t cut_off;    /* of these, deeper than the copy */
	uint64_t jit_ends;   /* or left in code of a JIT, which has no rules */
	struct str jit_cure; /* for the first of these processes */
	size_t largest_copy; /* bytes */
};

/* The mode of the code that a sample interrupted. */
enum resolve_mode callstack_mode(const struct perf_record *r);

/* Push code at an address and the functions that it is inlined into. */
void callstack_push_code(struct callstack *s, const struct code *innermost,
			 uint64_t address);

/* The same by the address alone. */
void callstack_push(struct callstack_builder *b, enum resolve_mode mode,
		    uint64_t address, bool is_return);

/*
 * Push n numbers of the record's call chain.  Returns how many of them are not
 * context markers.
 */
size_t callstack_push_chain(struct callstack_builder *b,
			    const struct perf_record *r, size_t n);

/* Whether a chain of n numbers may have more callers than perf recorded. */
bool callstack_is_full_chain(struct callstack_builder *b,
			     const struct perf_event *ev, size_t n);

#endif
