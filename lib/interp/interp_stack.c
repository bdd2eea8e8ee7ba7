/* interp_stack.c - the frames that a virtual machine has of a thread. */
#include "interp/interp_stack.h"

#include "base/mem.h"

#include <stdlib.h>

void
interp_stack_clear(struct interp_stack *s)
{
	s->n = s->segments = 0;
	s->lasting = 0;
	s->jit = (struct interp_jit_call){ 0 };
	s->segments_here = SIZE_MAX;
	s->levels = 0;
	s->resume = (struct interp_range){ 0, 0 };
	s->may_be_early = false;
	s->complete = true;
	s->lock = INTERP_LOCK_NONE;
}

void
interp_stack_free(struct interp_stack *s)
{
	free(s->frame);
	free(s->segment);
	*s = (struct interp_stack){ 0 };
}

bool
interp_stack_add(struct interp_stack *s, uint64_t code, int64_t ip)
{
	if (s->n == INTERP_STACK_DEPTH)
		return false;
	s->frame = mem_grow(s->frame, &s->cap, s->n + 1, sizeof(*s->frame));
	s->frame[s->n++] = (struct interp_vm_frame){ .code = code, .ip = ip };
	return true;
}

void
interp_stack_end_segment(struct interp_stack *s, uint64_t where)
{
	s->segment = mem_grow(s->segment, &s->segments_cap, s->segments + 1,
			      sizeof(*s->segment));
	s->segment[s->segments++] = (struct interp_segment){ where, s->n, 0 };
}

void
interp_stack_switch(struct interp_stack *s)
{
	if (s->segments < s->segments_here)
		s->segments_here = s->segments;
}

bool
interp_stack_has_places(const struct interp_stack *s)
{
	return s->segments > 0 && s->segment[0].where != 0;
}
