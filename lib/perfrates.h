/* perfrates.h - how often events were sampled, as perf script's header says. */
#ifndef PERFRATES_H
#define PERFRATES_H

#include "buf.h"

struct intern;

/* All zero at the start; release with perfrates_free(). */
struct perfrates {
	struct intern *keys; /* of events that are the same; or NULL */
	uint64_t *hz;        /* of each */
	size_t cap;
	struct buf key; /* scratch */
};

void perfrates_free(struct perfrates *r);

/*
 * A line of perf script --header: of those that describe an event,
 * "# event : name = cycles, ... { sample_period, sample_freq } = 99, ...",
 * note the frequency.  Of others nothing is noted.
 */
void perfrates_take(struct perfrates *r, struct str line);

/* The sampling frequency of an event in Hz, 0 if unknown. */
uint64_t perfrates_hz(struct perfrates *r, struct str event);

#endif
