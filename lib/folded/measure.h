/* measure.h - what the counts of a profile are: unit, count per sample, words.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "folded/label.h"
#include "folded/meta.h"

/*
 * What the counts themselves show.  All zero at the start.
 */
struct measure_evidence {
	uint64_t gcd; /* of the counts above 0; 0 if there are none */
	uint64_t
	    near; /* the same of nearly all of them: odd are not multiples */
	uint64_t odd;
	uint64_t votes;
	uint64_t n;    /* stacks with a count above 0 ... */
	uint64_t few;  /* ... and those with a count of at most 3 */
	double total;  /* of the column that is shown */
	bool decimals; /* some counts are not whole */
};

/* Add the count of a stack; the total stays as it is. */
void measure_add(struct measure_evidence *e, struct count c);

/*
 * The period of a clock, in ns, if the greatest common divisor of whole counts
 * can be one: that of a clock of at most 100 kHz.  Otherwise 0.  unit is that
 * of the metadata; empty if unknown.
 */
uint64_t measure_period(uint64_t gcd, struct str unit);

/*
 * Whether a period is surely in ns: it is what perf computes for a whole number
 * of samples per second up to 10,000, and no round number, which a user may
 * have chosen as the period of any event; or it is 250000 ns, perf's default.
 */
bool measure_is_clock(uint64_t period);

/* Release with measure_free(). */
struct measure {
	struct buf unit, event; /* event is empty if unknown */
	struct buf name;        /* "s of CPU" */
	uint64_t quantum;       /* what a sample adds, 0 if unknown */
	double samples;         /* 0 if unknown */
	bool inferred;          /* from the counts alone */
};

/*
 * Find out unit, event and samples of a profile: from its metadata; without a
 * unit there, from its event; without both, from the counts.  Counts that are
 * multiples of a clock's period are ns of CPU time, also if up to 5 % of the
 * stacks are none: the first sample of a thread may have a shorter period.
 * Large counts that have another period, or do not look like numbers of
 * samples, are "period units".
 */
void measure_init(struct measure *m, const struct meta *meta,
		  const struct measure_evidence *e);
void measure_free(struct measure *m);

/*
 * How to print counts: "ms" or "s of CPU" for ns of a CPU clock.  The unit in
 * the result is m's.
 */
struct label_number measure_number(struct measure *m, double total);

/* Append "5.264 s of CPU, 26,316 samples", or either if they are the same. */
void measure_describe(struct measure *m, struct buf *out, double total);

#endif
