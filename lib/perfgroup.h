/* perfgroup.h - the counts of other events that a sample brings along. */
#ifndef PERFGROUP_H
#define PERFGROUP_H

#include "intern.h"
#include "perfrecord.h"

/*
 * Of a group, perf record -e '{a,b}:S', only the leader is sampled, and each
 * sample says how far all counts are, PERF_FORMAT_GROUP.  For perf, and so
 * for us, it is a sample of each event that went on since the one before.
 *
 * All zero is none; release with perfgroup_free().
 */
struct perf_group {
	struct cursor left; /* counts of the sample that were not given yet */
	struct perf_record sample;
	bool strange; /* so far all of its counts are of events not known */
	struct intern *counters; /* of an id and a thread; NULL at first */
	uint64_t *last;          /* how far each was */
	size_t cap;
};

/* Begin a sample with readings, which is as valid as the record's bytes. */
void perfgroup_begin(struct perf_group *g, const struct perf_record *r,
		     bool swap);

/* It as a sample of the next event that went on; false if there is none. */
bool perfgroup_next(struct perf_group *g, const struct perf_events *events,
		    struct perf_record *r);

void perfgroup_free(struct perf_group *g);

#endif
