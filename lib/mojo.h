/*
 * mojo.h - MOJO, the binary format of austin, a sampler of CPython.
 *
 * Austin 3 writes it with --binary, Austin 4 always.  Source of knowledge:
 * "The MOJO file format" in Austin's wiki, and its src/mojo.h.
 */
#ifndef MOJO_H
#define MOJO_H

#include "reader.h"

/* Whether it may be MOJO that begins so. */
bool mojo_begins(struct str begin);

/*
 * Read samples: the time in microseconds, or bytes of memory where that is
 * wanted, or all that was recorded.
 */
void mojo_read(struct input *in, struct sink *out, bool with_memory);

#endif
