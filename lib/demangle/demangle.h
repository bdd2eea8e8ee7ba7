/* demangle.h - demangler for Rust, C++, D, OCaml and Fortran. */
/* libiberty uses DEMANGLE_H. */
#ifndef FOLD_DEMANGLE_H
#define FOLD_DEMANGLE_H

#include "base/buf.h"

/*
 * Append the readable form of a mangled name of Rust (v0, and legacy without
 * the hash), C++, D or OCaml, as perf prints it: without parameters, except in
 * D.  Procedures in Fortran modules are named as gdb prints them.  The suffix
 * "@plt" stays; suffixes such as ".cold" of C++ and Fortran go.
 *
 * Returns false and appends nothing if the name is not mangled, which takes a
 * few comparisons for most C names, or if the result would be too long.
 */
bool demangle(struct buf *out, struct str name);

#endif
