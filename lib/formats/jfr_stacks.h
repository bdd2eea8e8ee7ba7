/* jfr_stacks.h - stacks, threads and classes of a Flight Recorder chunk. */
#ifndef JFR_STACKS_H
#define JFR_STACKS_H

#include "base/intern.h"
#include "formats/jfr_chunk.h"
#include "reader/sink.h"

/* A stack as tokens of a sink, leaf first. */
struct jfr_stack {
	const uint32_t *token;
	size_t n;
	bool is_truncated; /* its root is missing */
};

struct jfr_stack_place;

/* A set of stacks by their ids in a chunk. */
struct jfr_stack_set {
	struct u64map index;
	struct jfr_stack_place *place;
	size_t n, cap;
	uint32_t *token;
	size_t ntokens, tokens_cap;
};

/* All zero, but for out and with_lines; free with jfr_stacks_free(). */
struct jfr_stacks {
	struct sink *out;
	bool with_lines;

	/* Private. */
	const struct jfr_chunk *chunk;
	bool is_async; /* written by async-profiler */
	struct jfr_plan stack, frame, method, class, symbol, thread, type;
	struct jfr_stack_set now, before; /* of the chunk before, if it fits */
	struct intern *frames;            /* method, line and type */
	uint32_t *token;                  /* of each */
	size_t tokens_cap;
	uint64_t end; /* of the chunk before, ns */
	struct buf text, scratch;
};

/* Begin with another chunk. */
void jfr_stacks_begin(struct jfr_stacks *s, const struct jfr_chunk *chunk);
void jfr_stacks_free(struct jfr_stacks *s);

/*
 * The stack of an id, valid until the next call.  False if neither this chunk
 * nor the one before, of the same JVM, has it.
 */
bool jfr_stacks_get(struct jfr_stacks *s, uint64_t id, struct jfr_stack *stack);

/* Append the name of a thread, and set its id for the kernel, or -1. */
void jfr_stacks_thread(struct jfr_stacks *s, uint64_t id, struct buf *name,
		       int64_t *tid);

/* Append the name of a class, "[unknown]" if it is not there. */
void jfr_stacks_class(struct jfr_stacks *s, uint64_t id, struct buf *name);

#endif
