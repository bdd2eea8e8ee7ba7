/* percall.h - explains why a call on one side takes longer. */
#ifndef PERCALL_H
#define PERCALL_H

#include "diff/exposure.h"

/*
 * Profiles by foldsplit(1) say how many calls they cover.  The difference in
 * the time of a call is then the sum of the differences of its frames.
 */
struct percall {
	double calls[2]; /* by side */
	bool is_ns;      /* counts are times */
};

/* Count the calls of both sides.  False if a run does not say how many. */
bool percall_find(struct percall *p, const struct comparison *c);

/*
 * The sampled amount per call of a side.  Ends the program with status 2 if it
 * exceeds 64 bits.
 */
struct count percall_total(const struct percall *p, const struct comparison *c,
			   enum side side);

/*
 * Append "slow calls take 6.9 ms more: 6.2 ms in state:futex under X, ...".
 */
void percall_summary(const struct percall *p, const struct comparison *c,
		     struct buf *out);

#endif
