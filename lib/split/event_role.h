/* event_role.h - the role of each event of a stream: entry, return, sample. */
#ifndef EVENT_ROLE_H
#define EVENT_ROLE_H

#include "stream/samples.h"

enum event_role {
	EVENT_ROLE_UNKNOWN,
	EVENT_ROLE_ENTRY,  /* a call begins */
	EVENT_ROLE_RETURN, /* a call ends */
	EVENT_ROLE_SAMPLE, /* a sample to split */
	EVENT_ROLE_OTHER
};

/*
 * The caller sets the first fields, the rest is zero; release with
 * event_role_free().
 */
struct event_roles {
	const char *entry, *leave; /* events of calls, or NULL */
	const char *sampled;       /* the event to split, or NULL for any */

	/* Set by the first sample to split: */
	struct buf unit;
	struct str event;
	bool is_ns; /* the unit is ns */

	/* Private to event_role.c. */
	struct event_role_cache {
		enum event_role role;
		uint64_t headers; /* samples.headers when role was found */
	} * cache;                /* by event */
	size_t n, cap;
};

/*
 * The role of a sample's event.  Ends the program with status 2 if its unit
 * differs from that of earlier samples, or if perf skipped hits of a probe.
 */
enum event_role event_role_of(struct event_roles *r, const struct samples *s,
			      const struct sample_line *sample);

/* End the program with status 2 if an event of the options did not occur. */
void event_role_check(const struct event_roles *r, const struct samples *s);

void event_role_free(struct event_roles *r);

#endif
