/* elfsyms.h - the symbol table of an ELF file. */
#ifndef ELFSYMS_H
#define ELFSYMS_H

#include "elf/elf.h"
#include "elf/elffile.h"

/*
 * Read all functions of a file, and of its separate debug file, or NULL;
 * sorted. *source is where they came from, except PLT entries.
 */
struct symtab *elfsyms_read(struct elffile *f, struct elffile *debug,
			    enum elf_source *source);

/*
 * Call each() for every name of a function, also where several names have the
 * same address; without PLT entries and functions that the loader chooses
 * (STT_GNU_IFUNC).
 */
void elfsyms_each(struct elffile *f, struct elffile *debug,
		  void (*each)(void *arg, const struct elf_function *),
		  void *arg);

#endif
