/* ruby.h - Ruby, the interpreter in C that its authors make. */
#ifndef RUBY_H
#define RUBY_H

#include "interp/interp_language.h"

extern const struct interp_language ruby_language;

#endif
