/* overhead.c - the CPU time that the recorder takes itself. */
#include "record/overhead.h"

#include "os/clock.h"

/* Seconds between two checks; a clock tick of the kernel is up to 10 ms. */
#define INTERVAL 1.0

double
overhead_seconds(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

void
overhead_begin(struct overhead *o)
{
	o->begin = o->last = clock_seconds(CLOCK_MONOTONIC);
	o->begin_cpu = o->last_cpu = overhead_seconds();
}

bool
overhead_exceeds(struct overhead *o, double share)
{
	const double now = clock_seconds(CLOCK_MONOTONIC),
		     cpu = overhead_seconds(), past = now - o->last;
	const bool exceeds = cpu - o->last_cpu > share * past;

	if (past < INTERVAL)
		return false;
	o->last = now;
	o->last_cpu = cpu;
	return exceeds;
}

double
overhead_share(const struct overhead *o)
{
	const double past = clock_seconds(CLOCK_MONOTONIC) - o->begin;

	return past > 0 ? (overhead_seconds() - o->begin_cpu) / past : 0;
}
