/* perfheader.h - the events in the header of perf script text. */
#ifndef PERFHEADER_H
#define PERFHEADER_H

#include "base/buf.h"

struct intern;

/* All zero at the start; release with perfheader_free(). */
struct perfheader {
	struct intern *names; /* of events, in the order of the header; NULL */
	struct intern *keys;  /* by event_key(), of events with a frequency */
	uint64_t *hz;         /* by key */
	size_t cap;
	struct buf key; /* scratch */
};

void perfheader_free(struct perfheader *h);

/*
 * Read a line of perf script --header.  A line that describes an event gives
 * its name and maybe its frequency: "# event : name = cycles, ...
 * { sample_period, sample_freq } = 99, ...".  Other lines are ignored.
 */
void perfheader_read(struct perfheader *h, struct str line);

/* The number of events so far, and the name of one. */
uint32_t perfheader_events(const struct perfheader *h);
struct str perfheader_event(const struct perfheader *h, uint32_t i);

/* The sampling frequency of an event in Hz, 0 if unknown. */
uint64_t perfheader_hz(struct perfheader *h, struct str event);

#endif
