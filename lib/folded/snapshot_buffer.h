/* snapshot_buffer.h - the stacks of a snapshot that has not ended yet. */
#ifndef SNAPSHOT_BUFFER_H
#define SNAPSHOT_BUFFER_H

#include "base/count.h"
#include "folded/stack.h"

/*
 * A snapshot counts only once it is complete; folded(5), Streams.  All zero is
 * empty; release with snapshot_buffer_free().
 */
struct snapshot_buffer {
	/* Private. */
	uint32_t *id; /* of all stacks, one after another */
	struct snapshot_buffer_stack *stack;
	size_t nid, nstack, id_cap, stack_cap;
	size_t next, next_id; /* for snapshot_buffer_next() */
};

struct snapshot_buffer_stack {
	const uint32_t *id; /* set by snapshot_buffer_next() */
	size_t n;
	struct count count[2];
};

/* Append a copy of a stack and its counts. */
void snapshot_buffer_add(struct snapshot_buffer *b, const struct stack *stack,
			 const struct count *count);

/*
 * Set *s to the next stack, oldest first.  It is valid until the next
 * snapshot_buffer_add().  After the last stack, empty the buffer and return
 * false.
 */
bool snapshot_buffer_next(struct snapshot_buffer *b,
			  struct snapshot_buffer_stack *s);

/* Empty the buffer. */
void snapshot_buffer_clear(struct snapshot_buffer *b);

void snapshot_buffer_free(struct snapshot_buffer *b);

#endif
