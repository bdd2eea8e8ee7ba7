/* percall.h - what calls of one side take more, and where. */
#ifndef PERCALL_H
#define PERCALL_H

#include "exposure.h"

/*
 * Profiles may say how many calls they are of, as foldsplit(1) has it: then
 * the difference in the time of a call is that of its frames, added up.
 */
struct percall {
	double calls[2]; /* by side */
	bool is_ns;      /* counts are times */
};

/* False if not all runs say of how many calls they are. */
bool percall_find(struct percall *p, const struct sides *s);

/* What the calls of a side took, by what was sampled in them, each. */
struct count percall_total(const struct percall *p, const struct sides *s,
			   enum side side);

/*
 * Append "slow calls take 6.9 ms more: 6.2 ms in state:futex under X, ...".
 */
void percall_sentence(const struct percall *p, const struct sides *s,
		      struct buf *out);

#endif
