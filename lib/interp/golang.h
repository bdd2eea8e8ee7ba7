/* golang.h - the goroutines of a Go program that no thread runs. */
#ifndef GOLANG_H
#define GOLANG_H

#include "interp/interp_language.h"

extern const struct interp_language golang_language;

/*
 * The runtime of a program whose writable data is in these ranges, of which the
 * first few are searched.  Release it with golang_language.close().
 */
void *golang_new(const struct interp_range *data, size_t n);

#endif
