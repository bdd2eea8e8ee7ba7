/* queue.h - numbers that come back in the order they went, however many. */
#ifndef QUEUE_H
#define QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All zero is empty; release with queue_free().  What does not fit into a few
 * megabytes waits in a temporary file.  All is put in, then taken.
 */
struct queue {
	uint64_t n; /* that were put in */

	/* Below here is queue.c's own. */
	uint32_t *number;
	size_t held, cap, next;
	int fd; /* if overflowed */
	bool overflowed, taking;
};

void queue_put(struct queue *q, uint32_t number);

/* The next number; false if none is left. */
bool queue_take(struct queue *q, uint32_t *number);

/* Release it; it is empty then, and can be filled again. */
void queue_free(struct queue *q);

#endif
