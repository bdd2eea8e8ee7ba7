/* mojoevent.c - the events of MOJO, one by one. */
#include "mojoevent.h"

bool
mojo_cut_number(struct str *s, uint64_t *n, bool *minus)
{
	unsigned shift;
	size_t i;

	if (s->len == 0)
		return false;
	*n = (uint64_t)(*s->p & 0x3f);
	*minus = (*s->p & 0x40) != 0;
	for (i = 1, shift = 6; (s->p[i - 1] & 0x80) != 0; i++, shift += 7) {
		if (i == s->len || shift >= 64)
			return false;
		*n |= (uint64_t)(s->p[i] & 0x7f) << shift;
	}
	*s = str_skip(*s, i);
	return true;
}

/* How many numbers and strings an event has. */
static void
shape(uint64_t version, int kind, int *numbers, int *strings)
{
	static const struct {
		uint8_t numbers, strings;
	} shapes[MOJO_KINDS] = {
		[MOJO_METADATA] = { 0, 2 },   [MOJO_STACK] = { 2, 1 },
		[MOJO_FRAME] = { 7, 0 },      [MOJO_FRAME_REF] = { 1, 0 },
		[MOJO_STRING] = { 1, 1 },     [MOJO_FRAME_KERNEL] = { 0, 1 },
		[MOJO_TIME] = { 1, 0 },       [MOJO_MEMORY] = { 1, 0 },
		[MOJO_STRING_REF] = { 1, 0 }, [MOJO_TASK_STACK] = { 2, 0 },
		[MOJO_TASK_WAITER] = { 2, 0 }
	};

	*numbers = shapes[kind].numbers;
	*strings = shapes[kind].strings;
	if (kind == MOJO_STACK && version < 3) /* has no interpreter */
		*numbers = 1;
	if (kind == MOJO_FRAME && version < 2) /* has no columns */
		*numbers = 4;
}

bool
mojo_cut_event(struct str *rest, uint64_t version, struct mojo_event *e)
{
	int i, numbers, strings;

	*e = (struct mojo_event){ .kind = (unsigned char)*rest->p };
	*rest = str_skip(*rest, 1);
	if (e->kind < MOJO_METADATA || e->kind >= MOJO_KINDS)
		return false;
	shape(version, e->kind, &numbers, &strings);
	for (i = 0; i < numbers; i++) {
		if (!mojo_cut_number(rest, &e->number[i], &e->minus))
			return false;
	}
	for (i = 0; i < strings; i++) {
		if (str_find(*rest, '\0') == NULL)
			return false;
		e->text[i] = str_cut(rest, '\0');
	}
	return true;
}
