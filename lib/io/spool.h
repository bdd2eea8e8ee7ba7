/* spool.h - a copy of an input, so that it can be read twice. */
#ifndef SPOOL_H
#define SPOOL_H

#include "io/input.h"

/*
 * Copy the rest of an input to a temporary file and continue reading there, so
 * that input_seek() can go back.  Call it before input_take().  Ends the
 * program with status 2 if the file cannot be written.
 */
void spool(struct input *in);

#endif
