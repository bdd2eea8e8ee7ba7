/*
 * austin_mojo.h - MOJO, the binary format of austin, a sampler of CPython.
 *
 * Austin 3 writes it with --binary, Austin 4 always.  Sources: "The MOJO file
 * format" in Austin's wiki, and its src/mojo.h.
 */
#ifndef AUSTIN_MOJO_H
#define AUSTIN_MOJO_H

#include "formats/austin_text.h"

/* Whether an input that begins with these bytes may be MOJO. */
bool austin_mojo_begins(struct str begin);

/*
 * Read an input to its end and push its samples, root first.  They count
 * microseconds; or bytes of memory, if asked for, or if the input has no times.
 */
void austin_mojo_read(struct input *in, struct sink *out,
		      const struct austin_options *wanted);

#endif
