/* austin_text.h - the text that austin, a sampler of CPython, writes. */
#ifndef AUSTIN_TEXT_H
#define AUSTIN_TEXT_H

#include "reader/reader.h"

/*
 * Read an input to its end and push its samples, root first.  They count
 * microseconds; or memory, if asked for, or if the input says so.
 */
void austin_text_read(struct input *in, struct sink *out, bool with_memory);

#endif
