/* elfsyms.h - the functions of an ELF file. */
#ifndef ELFSYMS_H
#define ELFSYMS_H

#include "elf.h"
#include "elffile.h"

/*
 * All functions of a file, whose separate debug file, or NULL, has more of
 * them; sorted.  *source is what they came from, PLT entries aside.
 */
struct symtab *elfsyms_read(struct elffile *f, struct elffile *debug,
			    enum elf_source *source);

#endif
