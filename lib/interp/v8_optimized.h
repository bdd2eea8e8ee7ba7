/* v8_optimized.h - functions that are inlined in optimised code of V8. */
#ifndef V8_OPTIMIZED_H
#define V8_OPTIMIZED_H

#include "interp/v8_layout.h"

struct v8_code_place;

/* All zero is empty; release with v8_optimized_free(). */
struct v8_optimized {
	uint64_t map;                 /* of what lies before instructions */
	struct v8_code_place *places; /* where code begins, by return address */
	struct buf bytes;             /* scratch */
};

void v8_optimized_free(struct v8_optimized *o);

/* Optimised code: its objects are those of now. */
struct v8_code {
	uint64_t start; /* of the instructions */
	uint32_t size;
	int32_t optimization;    /* a number of its own, in the isolate */
	uint64_t deoptimization; /* DeoptimizationData */
	bool maglev;             /* the compiler; it was TurboFan otherwise */
};

/*
 * Find the code with a return address; false if that is not in optimised code.
 * The thread cannot run.
 */
bool v8_optimized_code(struct v8_optimized *o, const struct v8_layout *l,
		       struct interp_copy *copy, uint64_t pc,
		       struct v8_code *code);

/* A function that a frame executes. */
struct v8_inlined {
	uint64_t shared; /* SharedFunctionInfo */
	int32_t offset;  /* in its bytecodes */
};

enum { V8_INLINED_MAX = 64 };

/*
 * Find the functions that a frame of the code executes at a return address,
 * outermost first, from what V8 keeps to go on in the interpreter.  Returns
 * their number, 0 if there is no such description.  Reads past the copy.
 */
size_t v8_optimized_inlined(struct v8_optimized *o, const struct v8_layout *l,
			    struct interp_copy *copy,
			    const struct v8_code *code, uint64_t pc,
			    struct v8_inlined *inlined);

#endif
