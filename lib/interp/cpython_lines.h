/* cpython_lines.h - source lines of CPython's code objects. */
#ifndef CPYTHON_LINES_H
#define CPYTHON_LINES_H

#include "interp/cpython_layout.h"

/*
 * The line of an instruction by the table of its code object: co_lnotab,
 * co_linetable or the location table.  first is co_firstlineno; address is in
 * bytes from the first instruction on, and negative before it.  0 if the
 * instruction has no line.
 */
uint32_t cpython_lines_find(enum cpython_lines format, struct str table,
			    uint32_t first, int64_t address);

#endif
