/* elflines.h - lines and inlined functions. */
#ifndef ELFLINES_H
#define ELFLINES_H

#include "elf.h"
#include "elffile.h"

struct elflines;

/* As dies_open(). */
struct elflines *elflines_open(struct elffile *f, struct elffile *shared);
void elflines_close(struct elflines *l);

/* As elf_inlines(). */
size_t elflines_find(struct elflines *l, uint64_t vaddr, bool lines,
		     const struct elf_frame **frames);

#endif
