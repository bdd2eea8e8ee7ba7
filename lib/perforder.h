/* perforder.h - records put into the order of their times. */
#ifndef PERFORDER_H
#define PERFORDER_H

#include "buf.h"

/*
 * Records wait until it is known that no older one can follow.  All zero is
 * empty; release with perforder_free().
 */
struct perf_order {
	struct perf_wait *wait; /* in order up to sorted */
	size_t n, cap, ready, next, sorted;
	struct buf bytes;
	size_t most;       /* bytes that waited at a time */
	uint64_t newest;   /* of all that came */
	uint64_t previous; /* newest at the end of the round before */
};

/* A record that waits. */
struct perf_wait {
	uint64_t time, number;
	size_t at, len; /* its bytes */
};

/* Copy a record. */
void perforder_add(struct perf_order *o, uint64_t time, uint64_t number,
		   struct str record);

/*
 * A round ends: perf has emptied the buffers of all CPUs once, so what is not
 * younger than the newest of the round before has no elder to come.
 */
void perforder_round(struct perf_order *o);

/* Nothing more comes: all may go. */
void perforder_end(struct perf_order *o);

/* The next record that may go, valid until the next call; false if none. */
bool perforder_next(struct perf_order *o, uint64_t *number, struct str *record);

void perforder_free(struct perf_order *o);

#endif
