/* ruby_plumbing.h - functions by which Ruby calls functions. */
#ifndef RUBY_PLUMBING_H
#define RUBY_PLUMBING_H

#include "interp/interp_plumbing.h"

extern const struct interp_plumbing ruby_plumbing;

#endif
