/* overhead.h - the CPU time that the recorder takes itself. */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include <stdbool.h>

/* Begin with overhead_begin(). */
struct overhead {
	double begin, begin_cpu; /* seconds */
	double last, last_cpu;   /* at the last check */
};

void overhead_begin(struct overhead *o);

/*
 * Whether the recorder took more than a share of one CPU since the last check.
 * Checks come once a second; between them, false.
 */
bool overhead_exceeds(struct overhead *o, double share);

/* CPU seconds of the recorder, and its share of one CPU. */
double overhead_seconds(void);
double overhead_share(const struct overhead *o);

#endif
