/* bound.h - where slow calls begin. */
#ifndef BOUND_H
#define BOUND_H

#include "buf.h"
#include "latency.h"

struct bound {
	enum bound_kind {
		BOUND_NS,      /* a length of time */
		BOUND_PERCENT, /* the percentile by nearest rank */
		BOUND_MEAN,    /* so many deviations above the mean */
		BOUND_LONGEST  /* all but so many calls */
	} kind;
	double n;        /* percent, deviations or calls */
	uint64_t ns;     /* calls that took more are above it */
	struct str text; /* as it was written */
	bool exact;      /* ns is */
};

/* "p95", "95%", "2ms", "mean+2sd"; false if it is none of these. */
bool bound_parse(struct str s, struct bound *b);

/* Whether ns is known before any call is. */
static inline bool
bound_is_known(const struct bound *b)
{
	return b->kind == BOUND_NS;
}

/* Find ns from the latencies of all calls. */
void bound_find(struct bound *b, struct latency *l);

/* Append "p95 (1.15 ms)" or "2ms"; without the value if it is not exact. */
void bound_print(struct buf *out, const struct bound *b);

#endif
