/* clock_lag.c - estimate how far a remote clock is behind ours. */
#include "stream/clock_lag.h"

#define MINUTE ((uint64_t)60 * 1000000000)

void
clock_lag_note(struct clock_lag *l, uint64_t arrival, uint64_t timestamp)
{
	const int64_t lag = (int64_t)(arrival - timestamp);

	if (!l->known || arrival - l->since >= MINUTE) {
		l->previous = l->known ? l->current : lag;
		l->current = lag;
		l->since = arrival;
		l->known = true;
	} else if (lag < l->current) {
		l->current = lag;
	}
}

int64_t
clock_lag_least(const struct clock_lag *l)
{
	return l->current < l->previous ? l->current : l->previous;
}
