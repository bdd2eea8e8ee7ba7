/* cpython_coroutines.h - what suspended coroutines await. */
#ifndef CPYTHON_COROUTINES_H
#define CPYTHON_COROUTINES_H

#include "interp/cpython_objects.h"
#include "interp/interp_stack.h"

/* Classes whose kind is kept. */
enum { CPYTHON_KINDS = 256 };

enum cpython_kind {
	CPYTHON_OTHER,
	CPYTHON_TASK,
	CPYTHON_COROUTINE, /* or a generator */
	CPYTHON_WRAPPER    /* what await makes of one of those */
};

struct cpython_class {
	uint64_t type;
	enum cpython_kind kind;
};

/* Nothing in it needs to be released. */
struct cpython_coroutines {
	struct cpython_objects *objects;
	const struct cpython_coroutine_layout *t; /* NULL: not supported */
	struct cpython_class kind[CPYTHON_KINDS];
	size_t kinds;
};

/* The objects, whose layout is that of the process, are the caller's. */
void cpython_coroutines_init(struct cpython_coroutines *all,
			     struct cpython_objects *objects);

/* Forget the classes, whose addresses others may have by now. */
void cpython_coroutines_begin(struct cpython_coroutines *all);

/* The kind of an object, by its class. */
enum cpython_kind cpython_coroutines_kind(struct cpython_coroutines *all,
					  struct interp_copy *c,
					  uint64_t object);

/*
 * Add a coroutine, which awaits the next one on top of its stack of values, and
 * so on, root first; false if one of them runs, or cannot be read.  Only if the
 * version is supported.
 */
bool cpython_coroutines_add(struct cpython_coroutines *all,
			    struct interp_copy *c, uint64_t coroutine,
			    struct interp_stack *s);

#endif
