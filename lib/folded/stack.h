/* stack.h - split a stack of folded text into frames. */
#ifndef STACK_H
#define STACK_H

#include "base/buf.h"
#include "base/intern.h"

/*
 * A stack as numbers of frame names, root first.  All zero at the start;
 * release with stack_free().
 */
struct stack {
	uint32_t *id;
	size_t n;
	size_t same; /* leading frames equal to those of the previous stack */
	size_t cap;
	size_t *end; /* where each frame ends in text */
	size_t end_cap;
	struct str *name; /* of the frames after the same ones */
	size_t name_cap;
	struct buf text;
};

/*
 * Split a stack, of which *s has a copy afterwards.  All calls with one struct
 * stack use the same table of names.  The time depends only on the frames that
 * differ from the previous stack.
 */
void stack_split(struct stack *s, struct intern *names, struct str text);

/*
 * The same in three steps, for a batch of stacks: each step prefetches what the
 * next step needs, so run a step for all stacks before the next one.
 *
 * previous is the stack before *s, which has reached stack_end() when
 * stack_end() is called for *s.  text may be freed after stack_begin().
 */
void stack_begin(struct stack *s, const struct stack *previous,
		 const struct intern *names, struct str text);
void stack_prefetch(const struct stack *s, const struct intern *names);
void stack_end(struct stack *s, const struct stack *previous,
	       struct intern *names);

/* Forget the frames, for example because names is a new table. */
void stack_forget(struct stack *s);

void stack_free(struct stack *s);

#endif
