/* ring.h - the ring buffer in which the kernel leaves records. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	int fd;     /* of the event that owns the buffer; -1: none */
	void *page; /* shared with the kernel; the data follow */
	uint64_t page_size, size; /* of the data: a power of two */
};

/*
 * Map the buffer of an event, of the given size or, where the limit of locked
 * memory is lower, of a smaller one.  False with errno set.
 */
bool ring_map(struct ring *r, int fd, uint64_t size);
void ring_unmap(struct ring *r);

/*
 * Call record() for each record, and give the room back to the kernel.  The
 * bytes are valid until record() returns.  It may not be called for a record
 * that the kernel is still writing.  Returns the number of records.
 */
size_t ring_drain(struct ring *r,
		  void (*record)(void *arg, const void *bytes, size_t size),
		  void *arg);

#endif
