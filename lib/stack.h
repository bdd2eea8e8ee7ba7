/* stack.h - a stack of folded text taken apart into frames. */
#ifndef STACK_H
#define STACK_H

#include "buf.h"
#include "intern.h"

/*
 * A stack as frame numbers, root first.  All zero at the start; release with
 * stack_free().
 */
struct stack {
	uint32_t *id;
	size_t n;
	size_t same; /* leading frames equal to those of the stack before */
	size_t cap;
	size_t *end; /* where each frame ends in text */
	size_t end_cap;
	struct str *name; /* of the frames that are not the same */
	size_t name_cap;
	struct buf text;
};

/*
 * Take a stack apart.  All calls on one struct stack use the same table.
 * Work is proportional to what differs from the stack before.
 */
void stack_split(struct stack *s, struct intern *names, struct str text);

/*
 * The same in three steps, to be taken with other stacks between them: while
 * a step works on one, what the next step needs of the others comes from
 * memory.  The stack before is another one, split in the end before this one
 * is.  Text may go after the first step.
 */
void stack_begin(struct stack *s, const struct stack *before,
		 const struct intern *names, struct str text);
void stack_seek(const struct stack *s, const struct intern *names);
void stack_end(struct stack *s, const struct stack *before,
	       struct intern *names);

/* Forget the frames, whose numbers no longer hold: the next is all new. */
void stack_forget(struct stack *s);

void stack_free(struct stack *s);

#endif
