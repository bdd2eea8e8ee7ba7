/* interp_plumbing.h - native functions that are only how a virtual machine
 * calls functions. */
#ifndef INTERP_PLUMBING_H
#define INTERP_PLUMBING_H

#include "base/str.h"

/* The functions of one language; each is a module, NAME_plumbing.c. */
struct interp_plumbing {
	const char *language; /* as in struct interp_function */
	/* What the names of the runtime's files have in them. */
	const char *file;
	/*
	 * Sorted by bytes, without the parts that compilers append after a dot.
	 * A name that ends with '*' stands for all that begin like it.
	 */
	const char *const *name;
	size_t n;
};

enum interp_plumbing_kind {
	INTERP_PLUMBING_NONE,  /* a function of the program, or of a library */
	INTERP_PLUMBING_CALLS, /* how the virtual machine calls functions */
	INTERP_PLUMBING_START, /* how a C library begins a program or a thread
				*/
};

/*
 * The kind of a native frame in a stack with functions of this language, by the
 * name of its function and the path of its file.  callee says that it has
 * called, at whatever depth, an interpreted function: then functions without
 * names in the file of the runtime are INTERP_PLUMBING_CALLS, too.
 *
 * INTERP_PLUMBING_START is left out of a stack only if all between it and the
 * interpreted functions is: in a program that embeds the language, stacks with
 * and without interpreted functions have the same root.
 */
enum interp_plumbing_kind interp_plumbing_find(struct str language,
					       struct str name,
					       struct str module, bool callee);

#endif
