/* splitout.h - writes the parts of a split stream as folded text. */
#ifndef SPLITOUT_H
#define SPLITOUT_H

#include "split/split.h"

/* Name the parts, once the thresholds are known. */
void splitout_name(struct split *s);

/* Write all parts; the name of its part is the root of each stack. */
void splitout_all(const struct split *s, FILE *out);

/* Write one part. */
void splitout_one(const struct split *s, uint32_t part, FILE *out);

/* Write the fast and the slow calls with two counts a line. */
void splitout_two(const struct split *s, FILE *out);

/* The part of the fast calls: up to the lowest threshold. */
static inline uint32_t
splitout_fast(void)
{
	return SPLIT_BANDS;
}

/* The part of the slow calls: above the highest threshold. */
static inline uint32_t
splitout_slow(const struct split *s)
{
	return (uint32_t)(SPLIT_BANDS + s->opt.nthresholds);
}

/*
 * Append "thin: 12 calls, 40 samples" if a part has too few of them, else
 * nothing.
 */
void splitout_thin(const struct profile_part *p, struct buf *out);

#endif
