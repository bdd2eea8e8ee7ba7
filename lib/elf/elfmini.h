/* elfmini.h - symbols from mini-debuginfo, .gnu_debugdata. */
#ifndef ELFMINI_H
#define ELFMINI_H

#include "elf/elffile.h"

/*
 * Call add() for each symbol of .gnu_debugdata, an ELF file compressed by xz,
 * which libdwfl reads.  False if there is none, or its decompressed size is
 * implausible.
 */
bool elfmini_symbols(const struct elffile *f,
		     void (*add)(void *arg, const struct elffile_symbol *),
		     void *arg);

#endif
