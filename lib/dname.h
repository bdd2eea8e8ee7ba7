/* dname.h - names of D, as programmers wrote them. */
#ifndef DNAME_H
#define DNAME_H

#include "dread.h"

/*
 * Append the readable form of a mangled name of D ("Application Binary
 * Interface", Name Mangling), in the form that libiberty's has, which perf
 * uses: with parameters, without the type that is returned.  False, and
 * nothing appended, if it is none, or stands for more than limit bytes, or for
 * what takes very long to read.
 */
bool dname_demangle(struct buf *out, struct str name, size_t limit);

/*
 * For the other parts: a name with its scopes, with or without what a method
 * says of "this", and a symbol, which is such a name or has a type with it.
 */
bool dname_qualified(struct dread *n, bool modified);
bool dname_symbol(struct dread *n);

#endif
