/* procfile.h - whole files of /proc. */
#ifndef PROCFILE_H
#define PROCFILE_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Replace text with the content of a file, whose size stat(2) does not know.
 * False if it cannot be read.
 */
bool procfile_read(struct buf *text, const char *path);

/* The same for /proc/PID/task/TID/NAME. */
bool procfile_read_thread(struct buf *text, int64_t pid, int64_t tid,
			  const char *name);

#endif
