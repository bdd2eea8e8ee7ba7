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

/*
 * Whether a native frame is only how the virtual machine of a language calls
 * functions, by the function's name and the path of its file.  callee says that
 * it has called, at whatever depth, an interpreted function: then functions
 * without names in the file of the runtime are plumbing, too.
 */
bool interp_plumbing_has(struct str language, struct str name,
			 struct str module, bool callee);

#endif
