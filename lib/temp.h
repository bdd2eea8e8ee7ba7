/* temp.h - temporary files. */
#ifndef TEMP_H
#define TEMP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A new file, for reading and writing, in TMPDIR or /tmp.  It has no name, so
 * that it is gone when it is closed, or when the program ends in any way.
 * Ends the program with status 2 if there can be none; what for is said.
 */
int temp_open(const char *what);

/* TMPDIR, or /tmp. */
const char *temp_folder(void);

/* Whether files there have no name from the start, not only when opened. */
bool temp_is_unnamed(void);

/* Write n bytes, all of them; ends the program with status 2 if it cannot. */
void temp_write(int fd, const void *bytes, size_t n, const char *what);

#endif
