/* refusal.h - why the kernel refused an event, and what to do about it. */
#ifndef REFUSAL_H
#define REFUSAL_H

#include "base/buf.h"

/* What was tried; fields that do not apply are zero. */
struct refusal {
	struct str event;
	int64_t pid;        /* of another process */
	bool whole_machine; /* all tasks of a CPU */
	size_t descriptors; /* that were needed */
	bool ring;          /* the ring buffer could not be mapped */
	struct str probe;   /* the name of the first probe */
};

/*
 * Append the reason of a failed perf_event_open(2) or mmap(2), without a final
 * full stop, with the one setting that permits it.
 */
void refusal_explain(struct buf *why, int error, const struct refusal *r);

/* The value of kernel.perf_event_paranoid; 2 if it cannot be read. */
int refusal_paranoid(void);

#endif
