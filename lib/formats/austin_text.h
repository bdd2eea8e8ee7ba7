/* austin_text.h - the text that austin, a sampler of CPython, writes. */
#ifndef AUSTIN_TEXT_H
#define AUSTIN_TEXT_H

#include "reader/reader.h"

struct austin_options {
	bool memory; /* counts are memory, not time */
	bool lines;  /* add source lines to frames */
};

/*
 * Read an input to its end and push its samples, root first.  They count
 * microseconds; or memory, if asked for, or if the input says so.
 */
void austin_text_read(struct input *in, struct sink *out,
		      const struct austin_options *wanted);

/* Whether the file of a frame is one of Python, and not of C. */
bool austin_text_is_python(struct str file);

/*
 * Set *frame to a function: of Python as folded(5) names it, with *text as
 * scratch; of the kernel, which Austin takes for a file; or of C by its name.
 */
void austin_text_frame(struct frame *frame, struct buf *text, struct str file,
		       struct str name, struct str line);

#endif
