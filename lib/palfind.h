/* palfind.h - where a palette is that is given by name; palette(5). */
#ifndef PALFIND_H
#define PALFIND_H

#include "buf.h"

/*
 * The file of a palette, NUL behind it, in *path: what is given, if it has a
 * slash or ends in ".palette", else NAME.palette in the first folder that has
 * one.  False if none has.
 */
bool palfind(struct buf *path, const char *name);

#endif
