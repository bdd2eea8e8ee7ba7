/* pyframe.h - frames of Python, as its tracebacks have them. */
#ifndef PYFRAME_H
#define PYFRAME_H

#include "buf.h"

/*
 * Put the name of a frame into *text, 'f (/a.py:12)' for
 * 'File "/a.py", line 12, in f', with or without the second comma.  False if
 * the line is none.
 */
bool pyframe_print(struct buf *text, struct str line);

#endif
