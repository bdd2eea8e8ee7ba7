/* elfdebug.h - where the debug information of a file is kept apart. */
#ifndef ELFDEBUG_H
#define ELFDEBUG_H

#include "elf.h"
#include "elffile.h"

/*
 * Open the debug file of a file, whose path, or NULL, is without symfs: by
 * its build-id, then by what .gnu_debuglink says, with its CRC; as gdb's
 * manual has it, "Debugging Information in Separate Files"; by what the places
 * fetch; last, of a file without .symtab, a copy that perf-buildid-cache(1)
 * was given.  NULL if there is none.
 */
struct elffile *elfdebug_open(struct elffile *f, const char *path,
			      const struct elf_places *places);

/*
 * Open what a file with debug information shares with others, as dwz(1)
 * took it out: by the build-id, then by the path that .gnu_debugaltlink
 * says (DWARF 5, 7.3.6, "supplementary object file").  NULL if there is none.
 */
struct elffile *elfdebug_open_shared(struct elffile *f,
				     const struct elf_places *places);

#endif
