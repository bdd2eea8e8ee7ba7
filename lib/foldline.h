/* foldline.h - what other tools write for folded text. */
#ifndef FOLDLINE_H
#define FOLDLINE_H

#include "reader.h"

/* Cut the last word off a line, and the blanks before it. */
struct str foldline_word(struct str *line);

/*
 * Read lines of frames with semicolons between, the root first, and a number.
 * A frame that is empty is none.
 */
void foldline_read(struct input *in, struct sink *out);

#endif
