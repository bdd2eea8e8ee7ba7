/* stitch.h - completes truncated stacks from whole ones: --repair. */
#ifndef STITCH_H
#define STITCH_H

#include "folded/fold.h"

/*
 * A truncated stack lacks its callers.  It takes those of a whole stack of the
 * same process that has exactly the same frames at its leaf end, if there is
 * only one such stack.
 */
struct stitch;

struct stitch *stitch_new(void);
void stitch_free(struct stitch *st);

/*
 * Add a truncated stack of n frames: nroot root frames, the frame [truncated],
 * and the frames that were recorded.  Returns false, and does not store the
 * stack, if it can never be completed.
 */
bool stitch_add(struct stitch *st, const uint32_t *id, size_t n, size_t nroot,
		struct count count);

/*
 * Add all stored stacks to the whole stacks, completed where possible.
 * Returns how many samples were completed.
 */
uint64_t stitch_finish(struct stitch *st, struct fold *whole);

#endif
