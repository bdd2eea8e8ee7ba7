/* cpython_code.h - functions and lines of CPython's code objects. */
#ifndef CPYTHON_CODE_H
#define CPYTHON_CODE_H

#include "interp/cpython_layout.h"
#include "interp/interp_binary.h"
#include "interp/interp_functions.h"
#include "interp/interp_stack.h"

/* A cache of the code objects of a process. */
struct cpython_codes;

/*
 * type is the address of PyCode_Type, or 0; own is the memory of the
 * interpreter's file; the layout is the caller's.
 */
struct cpython_codes *cpython_code_new(const struct cpython_layout *l,
				       uint64_t type, struct interp_range own);
void cpython_code_free(struct cpython_codes *all);

/*
 * Set the functions and lines of frames.  Code that cannot be read gets a
 * function without a name.
 */
void cpython_code_name(struct cpython_codes *all,
		       const struct interp_reader *reader,
		       struct interp_functions *functions,
		       struct interp_stack *s);

#endif
