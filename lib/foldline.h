/* foldline.h - what other tools write for folded text. */
#ifndef FOLDLINE_H
#define FOLDLINE_H

#include "reader.h"

/* Cut the last word off a line, and the blanks before it. */
struct str foldline_word(struct str *line);

/*
 * Cut the last number off a line, "a;b;c 12", "a;b;c;<TAB>12", perhaps with a
 * CR behind.  False, with the line as it was, if there is none.
 */
bool foldline_count(struct str *line, struct count *count);

/*
 * Read lines of frames with semicolons between, the root first, and a number.
 * A frame that is empty is none.
 */
void foldline_read(struct input *in, struct sink *out);

#endif
