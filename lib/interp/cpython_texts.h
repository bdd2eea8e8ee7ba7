/* cpython_texts.h - recognises CPython in a program without symbols. */
#ifndef CPYTHON_TEXTS_H
#define CPYTHON_TEXTS_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

/*
 * Whether the constants of a file, whose first mapping is number map, have
 * texts of CPython.  Reads at most 64 MB.
 */
bool cpython_texts_in(const struct interp_target *target, size_t map,
		      const struct interp_reader *reader);

#endif
