/* probe_guard.h - make probes of programs, and remove them in the end. */
#ifndef PROBE_GUARD_H
#define PROBE_GUARD_H

#include "record/event_names.h"

/*
 * Probes are made by tracefs.  perf_event_open(2) has a PMU "uprobe", too, but
 * tasks that inherit such an event cannot fork: Linux 6.18 reads the path again
 * in the memory of that task, and fork(2) fails with EFAULT.
 */

/* All zero is none. */
struct probe_guard {
	int64_t pid; /* the process that removes the probes */
	int pipe;    /* it does so when this end is closed */
};

/*
 * Make the probes of all events, if there are any, and a process that removes
 * them when this one ends, however it ends.  Probes that a killed one left are
 * removed, too.  False with the reason appended to why.
 */
bool probe_guard_begin(struct probe_guard *g, struct event_requests *events,
		       struct buf *why);

/* Remove the probes; the events have to be closed. */
void probe_guard_end(struct probe_guard *g);

#endif
