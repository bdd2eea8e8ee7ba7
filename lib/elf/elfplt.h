/* elfplt.h - names of the entries of procedure linkage tables (PLT). */
#ifndef ELFPLT_H
#define ELFPLT_H

#include "elf/elffile.h"
#include "elf/symtab.h"

/*
 * Add "f@plt" for each entry that calls the function f of another file.  On
 * x86-64 also for IFUNCs of the file itself, as strlen in a static program.
 * Adds nothing for machines that lib/arch does not know.
 */
void elfplt_add(struct elffile *f, struct symtab *t);

#endif
