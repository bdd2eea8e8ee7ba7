/* elfmini.h - the symbols of mini-debuginfo, by libdwfl. */
#ifndef ELFMINI_H
#define ELFMINI_H

#include "elffile.h"

/*
 * Give all symbols of .gnu_debugdata, an ELF file with a symbol table,
 * compressed by xz, which libdwfl knows to read; false if there are none, or
 * if it would be out of proportion to what it is made from.
 */
bool elfmini_symbols(const struct elffile *f,
		     void (*add)(void *arg, const struct elffile_symbol *),
		     void *arg);

#endif
