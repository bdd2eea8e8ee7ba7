/* cpython_text.h - texts of CPython's objects. */
#ifndef CPYTHON_TEXT_H
#define CPYTHON_TEXT_H

#include "interp/cpython_layout.h"
#include "interp/interp_copy.h"

/* Longer texts are cut off. */
enum { CPYTHON_TEXT_BYTES = 4096 };

/*
 * Read a bytes object, or as much as max bytes of it, into *text; false if
 * there is none.
 */
bool cpython_text_bytes(const struct cpython_layout *l,
			struct interp_copy *memory, uint64_t address,
			uint64_t max, struct buf *text);

/*
 * Read a str, in 2.7 one of bytes, into *text as UTF-8.  *text stays empty if
 * the str cannot be read.
 */
void cpython_text_read(const struct cpython_layout *l,
		       struct interp_copy *memory, uint64_t address,
		       struct buf *text);

#endif
