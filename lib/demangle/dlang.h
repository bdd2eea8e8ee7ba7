/* dlang.h - demangler for the language D. */
#ifndef DLANG_H
#define DLANG_H

#include "base/buf.h"

/*
 * Append the readable form of a mangled D name; the format: "Name Mangling" in
 * https://dlang.org/spec/abi.html.  The result looks like that of libiberty,
 * which perf uses: with parameters, without the return type.
 *
 * Returns false and appends nothing if the name is not a D name, if the result
 * is longer than limit bytes, or if parsing takes too many steps.
 */
bool dlang_name(struct buf *out, struct str name, size_t limit);

#endif
