/* perl.h - Perl 5. */
#ifndef PERL_H
#define PERL_H

#include "interp/interp_language.h"

extern const struct interp_language perl_language;

#endif
