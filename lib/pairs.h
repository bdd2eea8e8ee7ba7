/* pairs.h - the stacks of two sides in order, each with two counts. */
#ifndef PAIRS_H
#define PAIRS_H

#include "sides.h"

/* All zero but for the sides at first; release with pairs_free(). */
struct pairs {
	const struct sides *sides;
	struct count *count[2]; /* by pair; NULL: as they were measured */

	/* Below here is pairs.c's own. */
	uint32_t *order; /* of the pairs */
	size_t norder;
	struct buf text;
	FILE *out;
};

/*
 * Scale one column to a total, exactly; scale.h.  Ends the program with
 * status 2 where decimals do not fit.
 */
void pairs_scale(struct pairs *p, enum side column, struct count total);

/* Write them as lines of folded text, sorted. */
void pairs_write(struct pairs *p, FILE *out);

void pairs_free(struct pairs *p);

#endif
