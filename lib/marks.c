/* marks.c - what is to be known of a stack, found out once. */
#include "marks.h"

#include "mem.h"

#include <stdlib.h>

void
marks_free(struct marks *m)
{
	free(m->mark);
}

/*
 * A leaf that says that the thread waited makes the count a time that ends
 * with the sample.  What ran without one stands for no time in particular.
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
marks_of(struct marks *m, const struct intern *stacks, uint32_t stack)
{
	struct str text;

	if (stack < m->n && m->mark[stack] != 0)
		return m->mark[stack];
	m->mark = mem_grow(m->mark, &m->cap, stack + (size_t)1, 1);
	for (; m->n <= stack; m->n++)
		m->mark[m->n] = 0;
	text = intern_name(stacks, stack);
	m->mark[stack] = MARK_KNOWN;
	if (is_wait(text))
		m->mark[stack] |= MARK_WAITS;
	if (m->frame != NULL && has_frame(m->frame, text))
		m->mark[stack] |= MARK_FRAME;
	return m->mark[stack];
}
