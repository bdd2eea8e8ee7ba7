/* elfdebug.h - separate debug files of an ELF file. */
#ifndef ELFDEBUG_H
#define ELFDEBUG_H

#include "elf/elf.h"
#include "elf/elffile.h"

/*
 * Open the debug file of f, whose path, without symfs, may be NULL.  Search by
 * build-id; then by .gnu_debuglink and its CRC, as in gdb's manual, "Debugging
 * Information in Separate Files"; then fetch it.  If f has no .symtab, a copy
 * in the cache of perf-buildid-cache(1) is the last choice.  NULL if there is
 * none.
 */
struct elffile *elfdebug_open(struct elffile *f, const char *path,
			      const struct elf_paths *paths);

/*
 * Open the file that shares debug information with f, as dwz(1) makes it: DWARF
 * 5, 7.3.6, "supplementary object file".  Search by build-id, then by the path
 * in .gnu_debugaltlink, then fetch it.  NULL if there is none.
 */
struct elffile *elfdebug_open_shared(struct elffile *f,
				     const struct elf_paths *paths);

/*
 * Open the package of split debug information of f, which is the file at a
 * path, or its debug file: FILE.dwp beside f; beside the path; by the build-id,
 * .build-id/xx/yyyy.dwp or .debug.dwp.  The unit's ids tell whether it is the
 * right one.  NULL if there is none, or f has no split units.
 */
struct elffile *elfdebug_open_package(struct elffile *f, const char *path,
				      const struct elf_paths *paths);

#endif
