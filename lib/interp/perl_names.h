/* perl_names.h - names and lines of Perl's subroutines. */
#ifndef PERL_NAMES_H
#define PERL_NAMES_H

#include "interp/interp_functions.h"
#include "interp/interp_stack.h"
#include "interp/perl_layout.h"

/* A cache of the subroutines and statements of a process. */
struct perl_names;

/* How to recognise a COP by its op_ppaddr, and how it stores its file. */
struct perl_statements {
	uint64_t nextstate, dbstate; /* addresses of functions */
	bool threaded;               /* the file is a string, not a GV */
};

struct perl_names *perl_names_new(const struct perl_layout *l,
				  const struct perl_statements *statements);
void perl_names_free(struct perl_names *all);

/*
 * Set the functions and lines of frames, as perl_walk() has left them, and hide
 * a subroutine that is about to begin, or has ended.
 */
void perl_names_find(struct perl_names *all, const struct interp_reader *reader,
		     struct interp_functions *functions,
		     struct interp_stack *s);

#endif
