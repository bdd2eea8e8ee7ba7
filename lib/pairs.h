/* pairs.h - the stacks of two sides in order, each with two counts. */
#ifndef PAIRS_H
#define PAIRS_H

#include "sides.h"

/* All zero is empty; release with pairs_free(). */
struct pairs {
	uint32_t *frame;        /* in which the stack ends */
	struct count *count[2]; /* what ends there: before, after */
	size_t n;

	/* Below here is pairs.c's own. */
	size_t cap[3];
	const struct sides *sides;
	struct buf text;
	size_t next;
	FILE *out;
};

/* The stacks of finished sides, which outlive them, with measured counts. */
void pairs_init(struct pairs *p, const struct sides *s);

/*
 * Scale one column to a total, exactly; scale.h.  Ends the program with
 * status 2 where decimals do not fit.
 */
void pairs_scale(struct pairs *p, enum side column, struct count total);
struct count pairs_total(const struct pairs *p, enum side column);

/* Write them as lines of folded text. */
void pairs_write(struct pairs *p, FILE *out);

void pairs_free(struct pairs *p);

#endif
