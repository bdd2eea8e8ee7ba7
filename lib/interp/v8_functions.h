/* v8_functions.h - functions of JavaScript that were seen in a process. */
#ifndef V8_FUNCTIONS_H
#define V8_FUNCTIONS_H

#include "interp/interp_functions.h"
#include "interp/interp_stack.h"
#include "interp/v8_layout.h"

/*
 * Objects move, so a function is known by its script and its number in that.
 * Scripts have numbers of their own in each isolate; a later thread may get an
 * isolate at the same address.
 */
struct v8_key {
	int64_t tid;
	uint64_t isolate;
	int32_t script, literal;
};

struct v8_functions;

struct v8_functions *v8_functions_new(const struct v8_layout *l);
void v8_functions_free(struct v8_functions *all);

/* No function. */
#define V8_FUNCTIONS_NONE UINT64_MAX

/* A number for a function; V8_FUNCTIONS_NONE if it was not added yet. */
uint64_t v8_functions_find(const struct v8_functions *all,
			   const struct v8_key *key);

/* What SharedFunctionInfo has of a function. */
struct v8_shared {
	uint64_t name, script; /* objects */
};

/*
 * Add a function that v8_functions_find() did not find.  Reads past the copy,
 * while the thread cannot run.
 */
uint64_t v8_functions_add(struct v8_functions *all, const struct v8_key *key,
			  const struct v8_shared *shared,
			  struct interp_copy *memory);

/* A number for a builtin function of this name, as a symbol has it. */
uint64_t v8_functions_builtin(struct v8_functions *all, const char *name);

/* The table of positions of a function, for v8_positions_find(). */
struct buf *v8_functions_positions(struct v8_functions *all, uint64_t number);

/*
 * Find the functions and lines of frames, whose code is such a number, and
 * whose ip is a position in the script, or -1.
 */
void v8_functions_name(struct v8_functions *all,
		       const struct interp_reader *reader,
		       struct interp_functions *functions,
		       struct interp_stack *s);

#endif
