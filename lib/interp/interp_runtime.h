/* interp_runtime.h - find the runtime of a process. */
#ifndef INTERP_RUNTIME_H
#define INTERP_RUNTIME_H

#include "interp/interp.h"

/*
 * Find the runtime of a process by its memory map; call it when the map was
 * read again.  Appends to *why, once, what kind of runtime there is whose
 * frames cannot be shown, and the reason.
 */
void interp_runtime_find(struct interp *p, const struct interp_target *target,
			 const struct interp_reader *reader, struct buf *why);

#endif
