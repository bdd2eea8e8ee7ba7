/*
 * pmptext.h - reads the text that poor man's profilers print.
 *
 * None of the formats is documented; the comments of pmptext.c show examples:
 * - poormansprofiler.org's script, and pt-pmp: stacks with counts;
 * - knielsen-pmp: addresses and names, also as its resolver prints them, or a
 *   list with shares;
 * - quickstack: backtraces as gdb prints them, or a line for each thread;
 * - gdbpmp: a tree of calls for each thread;
 * - backtraces of gdb itself.
 */
#ifndef PMPTEXT_H
#define PMPTEXT_H

#include "reader/reader.h"

/* Read an input to its end and push its samples, leaf first. */
void pmptext_read(struct input *in, struct sink *out);

#endif
