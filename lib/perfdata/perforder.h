/* perforder.h - a queue that sorts records by time. */
#ifndef PERFORDER_H
#define PERFORDER_H

#include "base/buf.h"

/*
 * Records wait in the queue until no older record can follow.  All zero is
 * empty; release with perforder_free().
 */
struct perf_order {
	struct perf_queued *queue; /* in order up to sorted */
	size_t n, cap, ready, next, sorted;
	struct buf bytes;  /* of the records */
	size_t most;       /* bytes in the queue at any time */
	uint64_t newest;   /* time of all records added */
	uint64_t previous; /* newest, at the end of the last round */
};

struct perf_queued {
	uint64_t time, number;
	size_t at, len; /* in bytes */
};

/* Add a copy of a record. */
void perforder_add(struct perf_order *o, uint64_t time, uint64_t number,
		   struct str record);

/*
 * A round ends: perf has read the buffers of all CPUs once.  Records that are
 * not newer than the newest of the last round can leave the queue, as no older
 * ones can follow.
 */
void perforder_round(struct perf_order *o);

/* No more records follow: all can leave the queue. */
void perforder_end(struct perf_order *o);

/*
 * Take the next record that can leave the queue; false if there is none.  The
 * record is valid until the next call.
 */
bool perforder_next(struct perf_order *o, uint64_t *number, struct str *record);

void perforder_free(struct perf_order *o);

#endif
