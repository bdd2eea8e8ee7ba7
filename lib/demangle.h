/* demangle.h - names as programmers wrote them. */
/* DEMANGLE_H is taken by libiberty. */
#ifndef FOLD_DEMANGLE_H
#define FOLD_DEMANGLE_H

#include "buf.h"

/*
 * Append the readable form of a mangled name of Rust (legacy, without its
 * hash, and v0), C++, D or OCaml, without parameters, as perf has it.  False,
 * and nothing appended, if the name is none of these; most names of C begin
 * like none, and that costs a few comparisons.  Of what is put behind a name,
 * "@plt" is kept; ".cold" and the like of C++ go, as in perf.
 */
bool demangle(struct buf *out, struct str name);

#endif
