/* filelist.h - read operands from a file, like --files0-from of sort(1). */
#ifndef FILELIST_H
#define FILELIST_H

#include "cli/cmd.h"

/*
 * Read names, each ended by NUL, from a file or from "-", standard input.  They
 * become the operands of the command, which must have no others.  They point
 * into *text, which the caller frees after their last use.  Errors end the
 * program with status 2.
 */
void filelist_read(struct cmd *c, const char *path, struct buf *text);

#endif
