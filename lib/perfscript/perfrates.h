/* perfrates.h - sampling frequencies of events, from perf script's header. */
#ifndef PERFRATES_H
#define PERFRATES_H

#include "base/buf.h"

struct intern;

/* All zero at the start; release with perfrates_free(). */
struct perfrates {
	struct intern *keys; /* of events, by event_same(); or NULL */
	uint64_t *hz;        /* by key */
	size_t cap;
	struct buf key; /* scratch */
};

void perfrates_free(struct perfrates *r);

/*
 * Read a line of perf script --header.  A line that describes an event gives
 * its frequency: "# event : name = cycles, ... { sample_period, sample_freq }
 * = 99, ...".  Other lines are ignored.
 */
void perfrates_read(struct perfrates *r, struct str line);

/* The sampling frequency of an event in Hz, 0 if unknown. */
uint64_t perfrates_hz(struct perfrates *r, struct str event);

#endif
