/* pmptext.h - the text of poor man's profilers. */
#ifndef PMPTEXT_H
#define PMPTEXT_H

#include "reader.h"

/*
 * Read an input to its end, which is of one of these; none has a written
 * format, and what each begins with is in pmptext.c:
 * - the script of poormansprofiler.org, and pt-pmp: counted stacks;
 * - knielsen-pmp: addresses and names, these as its resolver prints them too,
 *   or a list with shares;
 * - quickstack: as gdb prints backtraces, or a line for each thread;
 * - gdbpmp: a tree of calls for each thread;
 * - backtraces of gdb itself.
 * Samples are pushed leaf first.
 */
void pmptext_read(struct input *in, struct sink *out);

#endif
