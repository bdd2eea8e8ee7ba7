/* elfgo.h - functions of stripped programs in Go. */
#ifndef ELFGO_H
#define ELFGO_H

#include "elffile.h"
#include "symtab.h"

/*
 * A program in Go prints its own stacks: names of functions, and how far the
 * stack pointer is from the return address, stay in .gopclntab (Go 1.16 and
 * later, of 64 bits).
 */

/* Whether a file is a program in Go. */
bool elfgo_is(const struct elffile *f);

/* Add the functions of such a table; nothing if there is none. */
void elfgo_add(struct elffile *f, struct symtab *t);

/*
 * Append rules for unwinding as the linker of Go writes them to .debug_frame,
 * of x86-64 only, little-endian.
 */
void elfgo_frames(struct elffile *f, struct buf *to);

#endif
