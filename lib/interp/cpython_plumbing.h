/* cpython_plumbing.h - functions by which CPython calls functions. */
#ifndef CPYTHON_PLUMBING_H
#define CPYTHON_PLUMBING_H

#include "interp/interp_plumbing.h"

extern const struct interp_plumbing cpython_plumbing;

#endif
