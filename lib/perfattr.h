/* perfattr.h - the events of a perf.data file: what each sample holds. */
#ifndef PERFATTR_H
#define PERFATTR_H

#include "arena.h"
#include "cursor.h"
#include "perfbits.h"

struct perf_event {
	struct str name; /* as perf prints it; never empty */
	uint32_t number; /* among the events of the recording */
	uint32_t type;
	uint64_t config;
	uint64_t period; /* of each sample, if fixed, else 0 */
	uint64_t hz;     /* samples a second, if that is fixed, else 0 */
	uint64_t sample_type, read_format, branch_type;
	uint64_t regs_user, regs_intr; /* masks */
	bool sample_id_all;
	bool switches;      /* brings PERF_SWITCH records along */
	bool user_only;     /* counts nothing in the kernel */
	bool monotonic;     /* its times are of that clock */
	bool inherited;     /* by the threads that are begun */
	bool deferred;      /* callers in user mode have their own records */
	unsigned max_stack; /* frames of a chain, 0 if the kernel decides */
};

struct perf_id {
	uint64_t id;
	uint32_t event1; /* number of the event, plus 1; 0 if free */
};

/* All zero is empty; release with perfattr_free(). */
struct perf_events {
	struct perf_event **event;
	size_t n, cap;
	struct perf_id *id; /* a hash table, at most half full */
	size_t nid, size;
	struct arena arena;
};

/* Size of the first published perf_event_attr; none is shorter. */
#define PERF_ATTR_MIN 64

/*
 * Read one perf_event_attr, which fills all of the cursor, and add its event
 * under a name made of its numbers; NULL if it is too short.
 */
struct perf_event *perfattr_add(struct perf_events *e, struct cursor *c);

/* Give an id to the event numbered event. */
void perfattr_id(struct perf_events *e, uint64_t id, size_t event);

/*
 * Name an event by its number, or events by n ids, which are taken from the
 * cursor; ignored if there is none or the name is empty.
 */
void perfattr_rename(struct perf_events *e, size_t event, struct str name);
void perfattr_name_ids(struct perf_events *e, struct cursor *c, uint32_t n,
		       struct str name);

/*
 * Take the body of PERF_HEADER_ATTR, which adds an event with its ids, or of
 * PERF_EVENT_UPDATE, which may name one; false if the event is spoilt.
 */
bool perfattr_announce(struct perf_events *e, struct cursor body);
void perfattr_update(struct perf_events *e, struct cursor body);

/*
 * The event of an id, of the first event if there is no such id, NULL if
 * there are no events; and the same, NULL if there is no such id.
 */
struct perf_event *perfattr_find(const struct perf_events *e, uint64_t id);
struct perf_event *perfattr_known(const struct perf_events *e, uint64_t id);

/* Whether what samples say depends on others, by the order of their times. */
bool perfattr_need_order(const struct perf_events *e);

void perfattr_free(struct perf_events *e);

#endif
