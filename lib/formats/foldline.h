/* foldline.h - reads lines like folded text, as other tools write them. */
#ifndef FOLDLINE_H
#define FOLDLINE_H

#include "reader/reader.h"

/* Cut off the last word of a line, and the blanks before it. */
struct str foldline_word(struct str *line);

/*
 * Read an input to its end: each line is a stack, frames separated by
 * semicolons, root first, and a count.  Empty frames are skipped.
 */
void foldline_read(struct input *in, struct sink *out);

#endif
