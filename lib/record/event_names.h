/* event_names.h - events by the names that perf gives them. */
#ifndef EVENT_NAMES_H
#define EVENT_NAMES_H

#include "base/arena.h"
#include "base/buf.h"

struct uprobe;

/* An event to record. */
struct event_request {
	struct str name; /* as it was written, with its modifiers */
	uint32_t type;   /* PERF_TYPE_*, or the number of a PMU in sysfs */
	uint64_t config, config1, config2;
	uint64_t excludes;     /* PERF_ATTR_EXCLUDE_* */
	unsigned precise;      /* the most exact address to ask for, 0 to 3 */
	bool exact;            /* no lower precision will do */
	uint64_t period, hz;   /* of this event; both 0: as all others */
	size_t leader;         /* index of the first event of its group */
	struct uprobe *uprobe; /* NULL: no probe of a program */
};

/* All zero is empty; release with event_names_free(). */
struct event_requests {
	struct event_request *event;
	size_t n, cap;
	struct arena arena; /* of the names */
};

/*
 * Add the events of a list as in perf record -e: "cycles", "cpu-clock:u",
 * "L1-dcache-load-misses", "r01c2", "sched:sched_switch",
 * "cpu/event=0x3c,umask=1/", "context-switches/period=1/", separated by commas;
 * braces make a group.  A probe, see uprobe.h, is alone in its list.  False,
 * with the reason appended to why, if a name is unknown or a tracepoint cannot
 * be read.
 */
bool event_names_add(struct event_requests *all, const char *list,
		     struct buf *why);

void event_names_free(struct event_requests *all);

#endif
