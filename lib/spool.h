/* spool.h - an input that can be read twice. */
#ifndef SPOOL_H
#define SPOOL_H

#include "input.h"

/*
 * Copy what is left of an input to a temporary file without a name, in TMPDIR
 * or /tmp, and read on from there: input_seek() can go back then.  Nothing
 * must have been taken of it yet.  Ends the program with status 2 if the file
 * cannot be written.
 */
void spool(struct input *in);

#endif
