/* stack_flags.c - properties of stacks, computed once per stack. */
#include "split/stack_flags.h"

#include "base/mem.h"

#include <stdlib.h>

void
stack_flags_free(struct stack_flags *f)
{
	free(f->flags);
}

/*
 * If the leaf says that the thread waited, the count is the time up to the
 * sample.  The count of a running thread is no such interval.
 */
static bool
is_wait(struct str stack)
{
	const char *p = memrchr(stack.p, ';', stack.len);
	struct str leaf = p == NULL ? stack :
				      str_range(p + 1, stack.p + stack.len);

	return str_starts(leaf, STR("state:")) &&
	       !str_eq(leaf, STR("state:running"));
}

static bool
has_frame(struct regex *frame, struct str stack)
{
	while (stack.len > 0) {
		if (regex_match(frame, str_cut(&stack, ';')))
			return true;
	}
	return false;
}

unsigned
stack_flags_of(struct stack_flags *f, const struct intern *stacks,
	       uint32_t stack)
{
	struct str text;

	if (stack < f->n && f->flags[stack] != 0)
		return f->flags[stack];
	f->flags = mem_grow(f->flags, &f->cap, stack + (size_t)1, 1);
	for (; f->n <= stack; f->n++)
		f->flags[f->n] = 0;
	text = intern_name(stacks, stack);
	f->flags[stack] = STACK_FLAG_KNOWN;
	if (is_wait(text))
		f->flags[stack] |= STACK_FLAG_WAITS;
	if (f->frame != NULL && has_frame(f->frame, text))
		f->flags[stack] |= STACK_FLAG_FRAME;
	return f->flags[stack];
}
