/* temp.h - create temporary files; io/spill.h writes and reads them. */
#ifndef TEMP_H
#define TEMP_H

#include <stdbool.h>

/*
 * Create a file for reading and writing in temp_folder().  It has no name: it
 * vanishes when it is closed, or when the program ends in any way.  If that
 * fails, ends the program with status 2 and a message that names the data.
 */
int temp_open(const char *what);

/* The folder of temporary files: $TMPDIR, or /tmp if it is not set. */
const char *temp_folder(void);

/* Whether the folder supports files that never have a name (O_TMPFILE). */
bool temp_is_unnamed(void);

#endif
