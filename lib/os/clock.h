/* clock.h - POSIX clocks, read as a single number. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

/* The time of a clock, such as CLOCK_MONOTONIC, in ns. */
uint64_t clock_ns(clockid_t clock);

/* Like clock_ns(), in seconds, for rates and progress. */
double clock_seconds(clockid_t clock);

#endif
