/* filelist.h - operands out of a file, as sort(1) and wc(1) take them. */
#ifndef FILELIST_H
#define FILELIST_H

#include "cmd.h"

/*
 * Make the names in a file ("-": standard input), each ended by NUL, the
 * operands of a command, which must have no others.  They are in *text, which
 * the caller frees behind the last use of them.  Ends the program with status
 * 2 if the file cannot be read.
 */
void filelist_read(struct cmd *c, const char *path, struct buf *text);

#endif
