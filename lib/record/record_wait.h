/* record_wait.h - wait for records in the rings, and for signals. */
#ifndef RECORD_WAIT_H
#define RECORD_WAIT_H

#include "record/ring.h"

#include <poll.h>

struct record_wait {
	struct pollfd *poll; /* the rings, then signals */
	size_t n;
	int signals;  /* signalfd(2) */
	bool stopped; /* by a signal */
};

/*
 * From now on SIGINT, SIGTERM and SIGHUP, unless they are ignored, are blocked,
 * and end the recording.
 */
void record_wait_open(struct record_wait *w);
void record_wait_close(struct record_wait *w);

/* Wait for records in these rings. */
void record_wait_rings(struct record_wait *w, const struct ring *ring,
		       size_t n);

/* Wait until a ring is full enough, a signal, or the end of a time. */
void record_wait(struct record_wait *w, int ms);

/* Let signals end the program again. */
void record_wait_unblock(void);

#endif
