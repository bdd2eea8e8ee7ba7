/* elfexport.h - find exported symbols of an ELF file by its hash table. */
#ifndef ELFEXPORT_H
#define ELFEXPORT_H

#include "elf/elffile.h"

/* Whether a file has .gnu.hash, of a format that this host can read. */
bool elfexport_has_table(const struct elffile *f);

/*
 * Find a symbol that the file defines in .dynsym; false if there is none.
 * Reads a few words of the file, where a search reads the whole table.  The
 * symbol has the caller's name.
 */
bool elfexport_find(const struct elffile *f, const char *name,
		    struct elffile_symbol *symbol);

#endif
