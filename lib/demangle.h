/* demangle.h - names as programmers wrote them. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include "buf.h"

/*
 * Append the readable form of a mangled name of Rust (legacy, without its
 * hash, and v0), C++ or D, without parameters, as perf has it.  False, and
 * nothing appended, if the name is none of these; most names of C begin like
 * none, and that costs a few comparisons.  What the linker and compilers put
 * behind a name (".cold", "@plt", ".llvm.123") is kept behind it.
 */
bool demangle(struct buf *out, struct str name);

#endif
