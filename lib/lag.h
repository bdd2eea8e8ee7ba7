/* lag.h - how much later things are here than by the clock they come with. */
#ifndef LAG_H
#define LAG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The least of the last one or two minutes is taken: what arrives soonest was
 * held up least, and clocks drift.  All zero at the start.
 */
struct lag {
	bool known;

	/* Below here is lag.c's own. */
	uint64_t since;
	int64_t now,
	    before; /* the least since then, and in the minute before */
};

/* What is of a time by its clock was here at a time by ours, both in ns. */
void lag_note(struct lag *l, uint64_t here, uint64_t time);

/* The lag, in ns; negative if the clock is ahead of ours. */
int64_t lag_least(const struct lag *l);

#endif
