/* readfile.h - read open files. */
#ifndef READFILE_H
#define READFILE_H

#include "base/str.h"

/*
 * Read n bytes at an offset; false, with errno set, if that fails.  Errno is 0
 * if the file ends before.
 */
bool readfile_at(int fd, void *to, size_t n, uint64_t offset);

/*
 * Read a file to its end and call block() for blocks of whole lines.  The last
 * line may lack its LF.  The file may grow while it is read.  Reading stops
 * after a line longer than READFILE_LINE: the file is not text, and may be a
 * hole larger than the memory.  False, with errno set, if reading fails.
 */
#define READFILE_LINE ((size_t)1 << 24)
bool readfile_lines(int fd, void (*block)(void *arg, struct str lines),
		    void *arg);

#endif
