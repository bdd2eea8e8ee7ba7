/* diffverdict.h - the "#node" metadata that mark changed frames in pictures. */
#ifndef DIFFVERDICT_H
#define DIFFVERDICT_H

#include "base/buf.h"
#include "diff/significance.h"

/*
 * The change that pictures show at each frame: 1 + its index in sig->change,
 * or 0.  A changed function without a changed frame is shown at each of its
 * frames that went the same way.  Release with free(3).
 */
uint32_t *diffverdict_changes(const struct significance *sig);

/* Set the keys that say what was tested, and what was assumed; folded(5). */
void diffverdict_header(const struct significance *sig, struct meta *header);

/*
 * Append a line of metadata for each such frame, and for the frames of the
 * largest differences; folded(5), "test".
 */
void diffverdict_print(const struct significance *sig, struct buf *out);

#endif
