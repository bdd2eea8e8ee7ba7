/* held.h - stacks that do not count yet; folded(5), Streams. */
#ifndef HELD_H
#define HELD_H

#include "count.h"
#include "stack.h"

/* Of a snapshot that has not ended.  All zero is empty; held_free(). */
struct held {
	/* Below here is held.c's own. */
	uint32_t *id; /* of all stacks, one after another */
	struct held_stack *stack;
	size_t nid, nstack, id_cap, stack_cap;
	size_t taken, taken_id;
};

/* A stack by the numbers of its frames, which held_take() sets. */
struct held_stack {
	const uint32_t *id;
	size_t n;
	struct count count[2];
};

/* Keep a copy of a stack and its counts. */
void held_add(struct held *h, const struct stack *s, const struct count *count);

/*
 * Take the stacks out in the order they came: false, and all are forgotten,
 * when there are no more.  *s is valid until the next held_add().
 */
bool held_take(struct held *h, struct held_stack *s);

/* Forget all. */
void held_drop(struct held *h);

void held_free(struct held *h);

#endif
