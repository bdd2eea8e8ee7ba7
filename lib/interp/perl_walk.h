/* perl_walk.h - the frames of a thread of Perl. */
#ifndef PERL_WALK_H
#define PERL_WALK_H

#include "interp/interp_language.h"
#include "interp/perl_layout.h"

/*
 * Frames have as their code the CV of a subroutine, or one of these; as their
 * ip the COP of what they execute; and as their context what follows.
 */
enum {
	PERL_WALK_EVAL = 1, /* context: the name of a required file, or 0 */
	PERL_WALK_MAIN = 2  /* the program */
};

/*
 * The context of the subroutine called last is the pad that the interpreter
 * uses, and from this bit on how deep the subroutine had been called before.
 * Between two instructions the subroutine's pad may be another one: then it is
 * about to begin, or has ended.  Of all others it is 0.
 */
#define PERL_WALK_DEPTH 48

/* Addresses of variables of an interpreter; phase is 0 if it is unknown. */
struct perl_variables {
	uint64_t curcop, curstackinfo, comppad, phase;
};

/* is_main: the thread is the one that runs the program. */
void perl_walk(const struct perl_layout *l, struct interp_copy *copy,
	       const struct perl_variables *variables, bool is_main,
	       struct interp_stack *s);

#endif
