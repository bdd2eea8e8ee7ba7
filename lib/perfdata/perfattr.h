/* perfattr.h - the events of a perf.data file: perf_event_attr and ids. */
#ifndef PERFATTR_H
#define PERFATTR_H

#include "base/arena.h"
#include "base/cursor.h"
#include "perfdata/perfabi.h"

struct perf_event {
	struct str name; /* as perf prints it; never empty */
	uint32_t number; /* in the order of the recording, from 0 */
	uint32_t type;
	uint64_t config;
	uint64_t period; /* of each sample; 0 if it varies */
	uint64_t hz;     /* samples a second; 0 if not fixed */
	uint64_t sample_type, read_format, branch_type;
	uint64_t regs_user, regs_intr; /* masks */
	bool sample_id_all;
	bool switches;      /* the recording has PERF_RECORD_SWITCH records */
	bool user_only;     /* does not count in the kernel */
	bool monotonic;     /* times are of CLOCK_MONOTONIC */
	bool inherited;     /* by new threads */
	bool deferred;      /* user-mode chains have their own records */
	unsigned max_stack; /* addresses of a chain; 0 for the kernel's limit */
};

/* All zero is empty; release with perfattr_free(). */
struct perf_events {
	struct perf_event **event;
	size_t n, cap;
	struct perf_id *ids;  /* events by id */
	struct perf_id *last; /* the last one found: samples repeat it */
	struct arena arena;   /* names, events and ids */
};

/* Size of the first published perf_event_attr; none is shorter. */
#define PERF_ATTR_MIN 64

/*
 * Read a perf_event_attr, which is all of the cursor, and add its event, named
 * by its type and config.  NULL if the attr is too short.
 */
struct perf_event *perfattr_add(struct perf_events *e, struct cursor *c);

/* Add an id of an event.  If two ids are equal, the first counts. */
void perfattr_add_id(struct perf_events *e, uint64_t id,
		     struct perf_event *event);

/*
 * Name the event with a number, or the events of n ids, which are read from the
 * cursor.  Unknown numbers and ids, and an empty name, are ignored.
 */
void perfattr_rename(struct perf_events *e, size_t number, struct str name);
void perfattr_name_ids(struct perf_events *e, struct cursor *c, uint32_t n,
		       struct str name);

/*
 * Read the body of PERF_RECORD_HEADER_ATTR, which adds an event with its ids;
 * false if the attr is too short.
 */
bool perfattr_read(struct perf_events *e, struct cursor body);

/* Read the body of PERF_RECORD_EVENT_UPDATE, which may name an event. */
void perfattr_update(struct perf_events *e, struct cursor body);

/* The event of an id; NULL if there is no such id. */
struct perf_event *perfattr_by_id(struct perf_events *e, uint64_t id);

/*
 * The event of a sample with an id: the first event if there is no such id,
 * NULL if there are no events.
 */
struct perf_event *perfattr_of_sample(struct perf_events *e, uint64_t id);

/* Whether samples depend on earlier ones, so that their order matters. */
bool perfattr_need_order(const struct perf_events *e);

void perfattr_free(struct perf_events *e);

#endif
