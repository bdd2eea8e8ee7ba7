/* tracecalls.h - trace events with a begin and an end, to stacks. */
#ifndef TRACECALLS_H
#define TRACECALLS_H

#include "tracethreads.h"

/*
 * Events come in any order, often the outer ones last, so all are sorted: this
 * much of each.
 */
struct trace_event {
	int64_t ts, end; /* ns */
	int64_t order;   /* in the file; set by tracecalls_add() */
	uint32_t thread; /* its number in the threads */
	uint32_t token;  /* of the sink; not of E */
	char phase;      /* B, E or X */
	bool wanted;     /* else it only tells others when they end */
};

struct tracecalls;

/* The input, for messages, the sink and the threads are the caller's. */
struct tracecalls *tracecalls_new(struct input *in, struct sink *out,
				  const struct tracethreads *threads);
void tracecalls_free(struct tracecalls *t);

/* Take an event, which is copied. */
void tracecalls_add(struct tracecalls *t, const struct trace_event *event);

/*
 * When all were taken: push a sample for each, root first, with its own time
 * in microseconds.
 */
void tracecalls_fold(struct tracecalls *t);

#endif
