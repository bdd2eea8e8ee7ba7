/* ruby_names.h - names and lines of Ruby's instruction sequences and methods.
 */
#ifndef RUBY_NAMES_H
#define RUBY_NAMES_H

#include "interp/interp_functions.h"
#include "interp/interp_stack.h"
#include "interp/ruby_layout.h"

/* A cache of the instruction sequences and methods of a process. */
struct ruby_names;

/*
 * symbols is the address of the table of symbols, or 0: then it is searched
 * around data, an address in the data of Ruby's library.
 */
struct ruby_names *ruby_names_new(const struct ruby_layout *l, uint64_t symbols,
				  uint64_t data);
void ruby_names_free(struct ruby_names *all);

/*
 * Set the functions and lines of frames, as ruby_walk() has left them.  What
 * cannot be read gets a function without a name.
 */
void ruby_names_find(struct ruby_names *all, const struct interp_reader *reader,
		     struct interp_functions *functions,
		     struct interp_stack *s);

#endif
