/* twocount.h - writes the stacks of two sides with two counts a line. */
#ifndef TWOCOUNT_H
#define TWOCOUNT_H

#include "diff/comparison.h"

/* The caller sets comparison, the rest is zero; twocount_free() at the end. */
struct twocount {
	const struct comparison *comparison;
	struct count *count[2]; /* by pair; NULL for the measured counts */

	/* Private to twocount.c. */
	uint32_t *order; /* pairs in output order */
	size_t norder;
	struct buf text;
	FILE *out;
};

/*
 * Scale one column to a total, as scale.h does.  Ends the program with status 2
 * if the decimals do not fit.
 */
void twocount_scale(struct twocount *p, enum side column, struct count total);

/* Write all stacks as folded text, sorted. */
void twocount_write(struct twocount *p, FILE *out);

void twocount_free(struct twocount *p);

#endif
