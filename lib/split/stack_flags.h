/* stack_flags.h - properties of stacks, computed once per stack. */
#ifndef STACK_FLAGS_H
#define STACK_FLAGS_H

#include "base/intern.h"
#include "base/regex.h"

enum {
	STACK_FLAG_KNOWN = 1,
	STACK_FLAG_WAITS = 2, /* the thread waits: the leaf is a "state:" */
	STACK_FLAG_FRAME = 4  /* a frame matches */
};

/* The caller sets frame, the rest is zero; release with stack_flags_free(). */
struct stack_flags {
	struct regex *frame; /* to match, or NULL; borrowed */
	uint8_t *flags;      /* by stack; 0: not computed yet */
	size_t n, cap;
};

void stack_flags_free(struct stack_flags *f);

/* The flags of a stack, which is a number of stacks. */
unsigned stack_flags_of(struct stack_flags *f, const struct intern *stacks,
			uint32_t stack);

#endif
