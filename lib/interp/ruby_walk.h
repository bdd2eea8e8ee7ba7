/* ruby_walk.h - the frames of a thread of Ruby. */
#ifndef RUBY_WALK_H
#define RUBY_WALK_H

#include "interp/interp_language.h"
#include "interp/ruby_layout.h"

/* The ip of a frame whose function is in C. */
#define RUBY_WALK_C INT64_MIN

/* Bytes of a rb_thread_t up to what is read of it while a thread is stopped. */
enum { RUBY_WALK_THREAD = 112 };

/*
 * Walk the frames of the thread that a rb_thread_t is for.  A frame's code is
 * an iseq, and what its environment has as its method is its context: an
 * imemo, or 0.  The code of a C function is the method, too.  False if the
 * block is no longer that of the thread.
 */
bool ruby_walk(const struct ruby_layout *l, struct interp_copy *copy,
	       const struct interp_listed *thread, struct interp_stack *s);

/*
 * The rb_thread_t that has the lock under which a thread runs; 0 if none has
 * it, or if that is unknown.
 */
uint64_t ruby_walk_lock_owner(const struct ruby_layout *l,
			      struct interp_copy *memory,
			      const struct interp_listed *thread);

#endif
