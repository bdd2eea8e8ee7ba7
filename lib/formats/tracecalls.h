/* tracecalls.h - turns trace events with a begin and an end into stacks. */
#ifndef TRACECALLS_H
#define TRACECALLS_H

#include "formats/tracethreads.h"

/*
 * The part of an event that is needed to sort it.  Events come in any order,
 * often the outer ones last, so all of them are sorted.
 */
struct tracecalls_event {
	int64_t ts, end; /* ns */
	int64_t order;   /* in the file; set by tracecalls_add() */
	uint32_t thread; /* of tracethreads_number() */
	uint32_t token;  /* of the sink; unused for E */
	char phase;      /* B, E or X */
	bool wanted;     /* else the event only limits those around it */
};

struct tracecalls;

/* The input (for messages), the sink and the threads must outlive it. */
struct tracecalls *tracecalls_new(struct input *in, struct sink *out,
				  const struct tracethreads *threads);
void tracecalls_free(struct tracecalls *t);

/* Add an event, which is copied. */
void tracecalls_add(struct tracecalls *t, const struct tracecalls_event *event);

/*
 * Call after the last event: pushes a sample for each call, root first, with
 * the call's own time in microseconds.
 */
void tracecalls_fold(struct tracecalls *t);

#endif
