/* topsave.h - the profile that foldtop(1) shows, as folded text. */
#ifndef TOPSAVE_H
#define TOPSAVE_H

#include "top/top.h"

/*
 * Append the stacks of the time that is shown, with metadata: of all threads
 * and classes, or of the selected thread.  Nothing if there are none.
 */
void topsave_text(const struct top *t, struct buf *out);

#endif
