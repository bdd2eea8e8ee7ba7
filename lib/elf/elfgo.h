/* elfgo.h - the function table of Go programs. */
#ifndef ELFGO_H
#define ELFGO_H

#include "elf/elffile.h"
#include "elf/symtab.h"

/*
 * A Go program can print its own stacks, so even a stripped one has a table of
 * its functions, .gopclntab: names, and the distance from the stack pointer to
 * the return address.  Go 1.16 and later, 64-bit programs only.
 */

/* Whether a file is a Go program. */
bool elfgo_is(const struct elffile *f);

/* Add the functions of the table, if there is one. */
void elfgo_add(struct elffile *f, struct symtab *t);

/*
 * Append unwind tables like those that the Go linker writes to .debug_frame,
 * little-endian.  Nothing for machines with a link register.
 */
void elfgo_frames(struct elffile *f, struct buf *to);

#endif
