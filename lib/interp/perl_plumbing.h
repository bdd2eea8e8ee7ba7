/* perl_plumbing.h - functions by which Perl calls subroutines. */
#ifndef PERL_PLUMBING_H
#define PERL_PLUMBING_H

#include "interp/interp_plumbing.h"

extern const struct interp_plumbing perl_plumbing;

#endif
