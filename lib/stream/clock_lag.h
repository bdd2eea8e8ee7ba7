/* clock_lag.h - estimate how far a remote clock is behind ours. */
#ifndef CLOCK_LAG_H
#define CLOCK_LAG_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The lag of an event is its time of arrival by our clock minus its timestamp
 * by the remote clock.  The least lag of the last one or two minutes is the
 * best estimate: that event was delayed least, and older ones ignore drift.
 * All zero at the start.
 */
struct clock_lag {
	bool known; /* an event was noted */

	/* Private. */
	uint64_t since;            /* start of the current minute */
	int64_t current, previous; /* the least lag in each minute */
};

/* Note an event: its arrival by our clock and its timestamp, both in ns. */
void clock_lag_note(struct clock_lag *l, uint64_t arrival, uint64_t timestamp);

/* The lag in ns; negative if the remote clock is ahead of ours. */
int64_t clock_lag_least(const struct clock_lag *l);

#endif
