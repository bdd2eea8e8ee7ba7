/* v8_walk.h - the frames of JavaScript on the stack of a thread. */
#ifndef V8_WALK_H
#define V8_WALK_H

#include "interp/interp_language.h"
#include "interp/v8_functions.h"
#include "interp/v8_optimized.h"
#include "interp/v8_positions.h"

/* A function of V8's own, by its symbol. */
struct v8_builtin {
	uint64_t start, end; /* in the file that is mapped */
	const char *name;
};

/* Builtin functions, sorted by address. */
struct v8_builtins {
	struct v8_builtin *builtin;
	size_t n, cap;
	/*
	 * Return address of JSEntry() from its only call, in the file.  V8 may
	 * copy the builtins to memory that is near to compiled code.
	 */
	uint64_t entry_return;
};

/* A frame that was found by frame pointers. */
struct v8_frame {
	uint64_t fp, pc;
	bool exact;        /* it runs at the pc, which is no return address */
	uint64_t function; /* JSFunction; 0 where a frame has none */
	uint64_t shared;   /* its SharedFunctionInfo */
};

struct v8_inlining;

/* All zero is empty; release with v8_walk_free(). */
struct v8_frames {
	struct v8_frame *frame; /* leaf first */
	size_t n, cap;
	uint64_t delta; /* of the copied builtins to those in the file */
};

struct v8_walker {
	const struct v8_layout *l;
	const struct v8_builtins *builtins;
	struct v8_functions *functions;
	struct v8_frames frames; /* scratch */
	uint64_t shared_map;     /* map of all SharedFunctionInfo; 0: unknown */
	struct v8_optimized optimized;
	struct v8_positions positions;
	struct v8_inlining *inlinings; /* those seen */
};

/*
 * Walk the frames of a thread into s: block is its isolate, and id the address
 * of the variable that says so.  False if it has another isolate now.
 *
 * V8 links frames by frame pointers from its entry from C to the exit to C, or
 * to where the thread runs; s->complete says whether the entry was reached.
 */
bool v8_walk(struct v8_walker *w, struct interp_copy *copy,
	     const struct interp_listed *thread, struct interp_stack *s);

void v8_walk_free(struct v8_walker *w);

#endif
