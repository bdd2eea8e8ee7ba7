/* latency_threshold.h - the latency above which a call is slow. */
#ifndef LATENCY_THRESHOLD_H
#define LATENCY_THRESHOLD_H

#include "base/buf.h"
#include "split/latency.h"

struct latency_threshold {
	enum latency_threshold_kind {
		LATENCY_THRESHOLD_NS,      /* given in ns */
		LATENCY_THRESHOLD_PERCENT, /* the percentile by nearest rank */
		LATENCY_THRESHOLD_MEAN,    /* n deviations above the mean */
		LATENCY_THRESHOLD_LONGEST  /* n calls are above it */
	} kind;
	double n;        /* percent, deviations or calls */
	uint64_t ns;     /* longer calls are above the threshold */
	struct str text; /* as the user wrote it; borrowed */
	bool exact;      /* ns is exact, not from buckets */
};

/*
 * Parse "p95", "95%", "2ms" or "mean+2sd".  Return false if s is none of these.
 * t->text borrows s.
 */
bool latency_threshold_parse(struct str s, struct latency_threshold *t);

/* Whether ns does not depend on the latencies. */
static inline bool
latency_threshold_is_known(const struct latency_threshold *t)
{
	return t->kind == LATENCY_THRESHOLD_NS;
}

/* Compute ns from the latencies of all calls. */
void latency_threshold_find(struct latency_threshold *t, struct latency *l);

/* Append "p95 (1.15 ms)" or "2ms"; without the value if it is not exact. */
void latency_threshold_print(struct buf *out,
			     const struct latency_threshold *t);

#endif
