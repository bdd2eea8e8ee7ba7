/* elflines.h - source lines and inlined functions of an address. */
#ifndef ELFLINES_H
#define ELFLINES_H

#include "elf/die.h"
#include "elf/elf.h"
#include "elf/elffile.h"

struct elflines;

/*
 * As die_open(): NULL if f has no debug information.  Unless all is true,
 * elflines_find() is the only function to call, without lines.
 */
struct elflines *elflines_open(struct elffile *f, struct elffile *shared,
			       struct dwarf_package *package, bool all);
void elflines_close(struct elflines *l);

/*
 * The same for another thread, for elflines_find() alone: all threads share
 * what one of them has read.  The fork keeps names for the others, so it is
 * closed before base, when all threads are done.  NULL as die_fork().
 */
struct elflines *elflines_fork(const struct elflines *base);

/* As elf_inlines(). */
size_t elflines_find(struct elflines *l, uint64_t vaddr, bool lines,
		     const struct elf_frame **frames);

/*
 * The unit and the function at an address, for variable.h; false without.  In
 * the unit, the address is *vaddr.
 */
bool elflines_function(struct elflines *l, uint64_t *vaddr, struct die *unit,
		       struct die *function);

/*
 * How many split units were needed, but are in files that are missing, and the
 * name of one of these files.
 */
size_t elflines_missing(const struct elflines *l, struct str *name);

/* As elf_lines(). */
void elflines_each(const struct elflines *l, uint64_t of,
		   void (*each)(void *arg, const struct elf_line *line),
		   void *arg);

#endif
