/* pyframe.h - frames of Python tracebacks. */
#ifndef PYFRAME_H
#define PYFRAME_H

#include "base/buf.h"

/*
 * Set *text to the name of a frame: "f (/a.py)", or with its line "f
 * (/a.py:12)", for 'File "/a.py", line 12, in f', with or without the second
 * comma.  False if this is no frame.
 */
bool pyframe_print(struct buf *text, struct str frame, bool with_line);

#endif
