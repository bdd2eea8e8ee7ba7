/* clock.c - POSIX clocks, read as a single number. */
#include "os/clock.h"

#define SECOND 1000000000

uint64_t
clock_ns(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

double
clock_seconds(clockid_t clock)
{
	return (double)clock_ns(clock) / SECOND;
}
