/* jitlines.h - the source lines of functions of a jitdump. */
#ifndef JITLINES_H
#define JITLINES_H

#include "jitcode.h"

/* Those of the function that was asked for last are kept. */
struct jitlines;

struct jitlines *jitlines_new(struct jitdump *dump);
void jitlines_free(struct jitlines *l);

/*
 * The last line of a function that is not behind an offset in it, with
 * addresses that are bias too great; false if there is none.  The file is
 * valid until the next call; its p is NULL if what is there is no name.
 */
bool jitlines_find(struct jitlines *l, const struct jit_function *f,
		   uint64_t bias, uint64_t offset, struct jitdump_line *found);

/* The first address that the lines of a function have; false if none. */
bool jitlines_first(struct jitlines *l, const struct jit_function *f,
		    uint64_t *address);

#endif
