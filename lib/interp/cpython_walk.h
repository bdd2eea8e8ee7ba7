/* cpython_walk.h - the frames of a thread of CPython. */
#ifndef CPYTHON_WALK_H
#define CPYTHON_WALK_H

#include "interp/cpython_layout.h"
#include "interp/interp_language.h"

/*
 * Walk the frames of a thread into s.  False if its block is that of another
 * thread.  ip is an address, or up to 3.10, f_lasti.
 */
bool cpython_walk(const struct cpython_layout *l, struct interp_copy *copy,
		  const struct interp_listed *thread, struct interp_stack *s);

/*
 * The block of the thread that has the GIL; 0 if none has it, or if that is
 * unknown.  Up to 3.6, the thread's lock is _PyThreadState_Current.
 */
uint64_t cpython_walk_lock_owner(const struct cpython_layout *l,
				 struct interp_copy *memory,
				 const struct interp_listed *thread);

#endif
