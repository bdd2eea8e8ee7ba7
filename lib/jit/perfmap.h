/* perfmap.h - symbols of JIT code from a file like /tmp/perf-PID.map. */
#ifndef PERFMAP_H
#define PERFMAP_H

#include "elf/symtab.h"
#include "os/owner_check.h"

struct perfmap;

/*
 * Read lines "start size name", numbers in hexadecimal.  Where entries overlap,
 * the last one wins, because JITs reuse memory.  Entries of size 0 are ignored.
 * Lines that are not understood are counted and skipped.
 *
 * NULL, with a reason in *why, if the file cannot be read, is not regular or is
 * not trusted.  errno is 0 if it is not trusted or not regular.
 */
struct perfmap *perfmap_open(const char *path, enum trust trust, uint32_t owner,
			     const char **why);

/* The same for text, which is the caller's. */
struct perfmap *perfmap_read(struct str text);

void perfmap_free(struct perfmap *m);

/* The symbol at an address; false if there is none. */
bool perfmap_find(const struct perfmap *m, uint64_t address,
		  struct symbol *found);

/*
 * The same in two steps.  perfmap_number() is less than perfmap_size(), or
 * SYMTAB_NONE if there is no symbol.
 */
uint32_t perfmap_number(const struct perfmap *m, uint64_t address);
struct symbol perfmap_symbol(const struct perfmap *m, uint32_t number);
size_t perfmap_size(const struct perfmap *m);

/* The number of lines, and of lines that were not understood. */
uint64_t perfmap_lines(const struct perfmap *m);
uint64_t perfmap_bad(const struct perfmap *m);

#endif
