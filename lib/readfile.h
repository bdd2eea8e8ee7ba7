/* readfile.h - reading open files: to the end, or all that was asked for. */
#ifndef READFILE_H
#define READFILE_H

#include "str.h"

/*
 * Read n bytes at an offset; false, with errno set, if they are not all there:
 * to 0 where the file ends before.
 */
bool readfile_at(int fd, void *to, size_t n, uint64_t offset);

/*
 * Give out a file, which may grow meanwhile, to its end in blocks of whole
 * lines; the last one may lack its LF.  A line that is longer than any is the
 * last one, though there is more: what has it is no text, and may be a hole
 * that is larger than all memory.  False, with errno set, if it cannot be read.
 */
#define READFILE_LINE ((size_t)1 << 24)
bool readfile_lines(int fd, void (*block)(void *arg, struct str lines),
		    void *arg);

#endif
