/* elfplt.h - the entries of procedure linkage tables. */
#ifndef ELFPLT_H
#define ELFPLT_H

#include "elffile.h"
#include "symtab.h"

/*
 * Add "f@plt" for each entry by which a file calls f of another, or, on
 * x86-64, one of its own that is chosen when it is loaded (IFUNC), as strlen
 * of a static program.  x86-64 and aarch64 only.
 */
void elfplt_add(struct elffile *f, struct symtab *t);

#endif
