/* counters.h - all open events: of each task, on each CPU. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "record/counter.h"
#include "record/event_names.h"
#include "record/ring.h"

#include <stddef.h>

/* What to open, for each task and CPU. */
struct counters_plan {
	struct counter_attr *attr; /* in the order of the requests */
	const struct event_request *request;
	size_t n;
	uint64_t ring; /* size of a ring buffer, in bytes */
};

struct counters;

/*
 * Nothing is open yet.  The plan has to live as long as the counters.  Ends the
 * program if the list of CPUs cannot be read.
 */
struct counters *counters_new(const struct counters_plan *plan);

/* Close all. */
void counters_free(struct counters *c);

/* Whether all events of the plan can be opened for a task; sets errno. */
bool counters_try(const struct counters *c, int64_t pid);

/*
 * Open the events of the plan for a task, or for all with pid -1; false, with
 * errno set, if one of them failed; those before stay open.  On a CPU that has
 * gone offline nothing is opened.
 */
bool counters_add(struct counters *c, int64_t pid);

/* The same for a cgroup, an open folder of a cgroup tree. */
bool counters_add_cgroup(struct counters *c, int cgroup);

/* One ring for each CPU; some may lack a buffer, and have the fd -1. */
struct ring *counters_rings(struct counters *c, size_t *n);

/* Whether counters_add() failed because a ring could not be mapped. */
bool counters_lack_ring(const struct counters *c);

/* How many descriptors a task takes. */
size_t counters_width(const struct counters *c);

/*
 * Find which event of the plan, and which task, an id belongs to.  False if the
 * id is unknown.
 */
bool counters_find(const struct counters *c, uint64_t id, size_t *event,
		   int64_t *pid);

/* The id that stands for all ids of an event in the file; 0 without any. */
uint64_t counters_id(const struct counters *c, size_t event);

/* Whether all tasks, and all that inherited from them, have ended. */
bool counters_have_ended(const struct counters *c);

/* Stop counting. */
void counters_disable(const struct counters *c);

/* Change the rate of all events with a frequency; false if one refused. */
bool counters_set_rate(const struct counters *c, uint64_t rate);

/* What an event has counted, in all tasks that inherited it, too. */
uint64_t counters_value(const struct counters *c, size_t event);

/* How many samples of an event the kernel says it lost. */
uint64_t counters_lost(const struct counters *c, size_t event);

#endif
