/* waitnote.h - what is said of waits that were not recorded whole. */
#ifndef WAITNOTE_H
#define WAITNOTE_H

#include "buf.h"
#include "perfattr.h"

/* What is known at the end; all zero at first. */
struct waitfacts {
	bool wall;       /* all time was asked for, not waits alone */
	bool switches;   /* those of threads are recorded */
	bool has_waited; /* waits are, as perf itself saw them */
	bool has_leaves; /* stacks where threads leave their CPU are */
	const struct perf_event *clock; /* whose samples are time on a CPU */
	uint64_t waits, bare;           /* those without a stack */
	uint64_t total, unknown, sampled, unsampled; /* nanoseconds */
	uint64_t lost;                               /* switches */
	unsigned said;                               /* of the notes */
};

/*
 * Append what hindered it, and how that is cured: the next line of as many
 * as there are; false at the end.
 */
bool waitnote(struct waitfacts *f, struct buf *line);

#endif
