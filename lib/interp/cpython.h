/* cpython.h - CPython, the usual interpreter of Python. */
#ifndef CPYTHON_H
#define CPYTHON_H

#include "interp/interp_language.h"

extern const struct interp_language cpython_language;

#endif
