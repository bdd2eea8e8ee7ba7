/* splitout.h - what foldsplit writes. */
#ifndef SPLITOUT_H
#define SPLITOUT_H

#include "split.h"

/* Name the parts of calls, when their bounds are known. */
void splitout_name(struct split *s);

/*
 * Write all parts, each under its name; one; or those below the first and
 * above the last bound, side by side.
 */
void splitout_all(const struct split *s, FILE *out);
void splitout_one(const struct split *s, uint32_t part, FILE *out);
void splitout_two(const struct split *s, FILE *out);

/* The part of the fast calls, and that of the slow ones. */
static inline uint32_t
splitout_fast(void)
{
	return SPLIT_BANDS;
}

static inline uint32_t
splitout_slow(const struct split *s)
{
	return (uint32_t)(SPLIT_BANDS + s->opt.nbounds);
}

/*
 * Append what is to be said of few calls or samples, "thin: 12 calls, 40
 * samples"; nothing if there are enough of them.
 */
void splitout_thin(const struct part *p, struct buf *out);

#endif
