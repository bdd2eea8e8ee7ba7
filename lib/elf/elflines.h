/* elflines.h - source lines and inlined functions of an address. */
#ifndef ELFLINES_H
#define ELFLINES_H

#include "elf/elf.h"
#include "elf/elffile.h"

struct elflines;

/* As die_open(): NULL if f has no debug information. */
struct elflines *elflines_open(struct elffile *f, struct elffile *shared);
void elflines_close(struct elflines *l);

/* As elf_inlines(). */
size_t elflines_find(struct elflines *l, uint64_t vaddr, bool lines,
		     const struct elf_frame **frames);

#endif
