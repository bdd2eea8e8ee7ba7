/* probe_lines.h - where lines of the source begin in a program's file. */
#ifndef PROBE_LINES_H
#define PROBE_LINES_H

#include "record/probe_places.h"

/*
 * Find where a line of the source, "file.c:12" or "dir/file.c:12", begins.
 * False, with the reason appended to why, if it has no code.
 */
bool probe_lines_find(struct probe_places *all, const char *path,
		      struct str line, struct buf *why);

#endif
