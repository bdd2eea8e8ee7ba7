/* jitlines.h - source lines of the functions of a jitdump. */
#ifndef JITLINES_H
#define JITLINES_H

#include "jit/jitcode.h"

/* Holds the lines of one function, the last one asked for. */
struct jitlines;

/* The dump is the caller's and outlives the lines. */
struct jitlines *jitlines_new(struct jitdump *dump);
void jitlines_free(struct jitlines *l);

/*
 * The last line at or before an offset in a function.  The lines' addresses are
 * too large by bias.  False if there is none.  The file is valid until the next
 * call; file.p is NULL if the dump has garbage there.
 *
 * With own, only lines of that file count, but all do if it has none.  Others
 * are of functions that were inlined.
 */
bool jitlines_find(struct jitlines *l, const struct jit_function *f,
		   struct str own, uint64_t bias, uint64_t offset,
		   struct jitdump_line *found);

/*
 * As jitlines_find(), but the first line after an offset, or the last one: of
 * JITs that write where an instruction ends.  Of several at an address this is
 * the first.
 */
bool jitlines_find_end(struct jitlines *l, const struct jit_function *f,
		       uint64_t offset, struct jitdump_line *found);

/* The address of a function's first line; false if it has no lines. */
bool jitlines_first(struct jitlines *l, const struct jit_function *f,
		    uint64_t *address);

#endif
