/* spill_queue.h - a queue of numbers that may be larger than the memory. */
#ifndef SPILL_QUEUE_H
#define SPILL_QUEUE_H

#include "io/spill.h"

#include <stdbool.h>

/*
 * All numbers are added first, then read in the same order.  Numbers that do
 * not fit into 4 MiB are in a temporary file.  All zero is an empty queue;
 * release with spill_queue_free().
 */
struct spill_queue {
	uint64_t n; /* numbers added */

	/* Private to spill_queue.c. */
	uint32_t *block;              /* numbers in memory */
	size_t block_len, block_next; /* valid ones, and the next to read */
	size_t cap;
	struct spill file;
	uint64_t offset; /* in the file, of the next block to read */
	bool is_reading;
};

/* Append a number.  Not after the first spill_queue_next(). */
void spill_queue_add(struct spill_queue *q, uint32_t number);

/* Read the next number; false at the end. */
bool spill_queue_next(struct spill_queue *q, uint32_t *number);

/* Release the memory.  The queue is empty afterwards and can be used again. */
void spill_queue_free(struct spill_queue *q);

#endif
