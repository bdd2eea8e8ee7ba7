/* elflines.h - lines and inlined functions, by libdw. */
#ifndef ELFLINES_H
#define ELFLINES_H

#include "elf.h"
#include "elffile.h"

/* elflines.c alone sees libdw and libdwfl. */
struct elflines;

/* NULL if the file has no debug information.  The file outlives it. */
struct elflines *elflines_open(struct elffile *f);
void elflines_close(struct elflines *l);

/* As elf_inlines(). */
size_t elflines_find(struct elflines *l, uint64_t vaddr,
		     const struct elf_frame **frames);

/*
 * Give all symbols of .gnu_debugdata, an ELF file with a symbol table,
 * compressed by xz, which libdwfl knows to read; false if there are none.
 */
bool elflines_minidebug(int fd,
			void (*add)(void *arg, const struct elffile_symbol *),
			void *arg);

#endif
