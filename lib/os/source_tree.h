/* source_tree.h - read source files below one folder, and nothing outside. */
#ifndef SOURCE_TREE_H
#define SOURCE_TREE_H

#include "base/buf.h"

/* Open the folder; -1, with errno set, if that fails.  close(2) releases it. */
int source_tree_open(const char *path);

/*
 * Append the contents of a file that debug information calls path.  Its leading
 * parts, such as the folder where the program was built, are left off until
 * there is such a file below the folder.  Symbolic links are not followed, and
 * nothing is looked up through "..".  False, with out as it was, if there is no
 * regular file of at most max bytes.
 */
bool source_tree_read(int folder, struct str path, struct buf *out, size_t max);

#endif
