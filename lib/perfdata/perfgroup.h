/* perfgroup.h - the counts of a group of events in a sample of its leader. */
#ifndef PERFGROUP_H
#define PERFGROUP_H

#include "perfdata/perfrecord.h"

/*
 * In a group (perf record -e '{a,b}:S'), only the leader is sampled.  Each
 * sample has the counts of all events of the group (PERF_FORMAT_GROUP).  Like
 * perf, we make it a sample of each event whose count has grown.
 *
 * All zero is empty; release with perfgroup_free().
 */
struct perf_group {
	struct cursor left; /* counts of the sample not used yet */
	struct perf_record sample;
	bool unknown; /* no count so far is of a known event */
	struct perf_counter *counters;
};

/*
 * Begin a sample with counts.  It is valid as long as the bytes of the record.
 */
void perfgroup_begin(struct perf_group *g, const struct perf_record *r,
		     bool swap);

/*
 * The sample of the next event whose count has grown; false if there is none.
 * If no event is known, it is the sample itself.
 */
bool perfgroup_next(struct perf_group *g, struct perf_events *events,
		    struct perf_record *r);

void perfgroup_free(struct perf_group *g);

#endif
