/* snapshot_buffer.c - the stacks of a snapshot that has not ended yet. */
#include "folded/snapshot_buffer.h"

#include "base/mem.h"

#include <stdlib.h>

void
snapshot_buffer_add(struct snapshot_buffer *b, const struct stack *stack,
		    const struct count *count)
{
	b->id = mem_grow(b->id, &b->id_cap, b->nid + stack->n, sizeof(*b->id));
	memcpy(b->id + b->nid, stack->id, stack->n * sizeof(*stack->id));
	b->nid += stack->n;
	b->stack = mem_grow(b->stack, &b->stack_cap, b->nstack + 1,
			    sizeof(*b->stack));
	b->stack[b->nstack++] = (struct snapshot_buffer_stack){
		NULL, stack->n, { count[0], count[1] }
	};
}

bool
snapshot_buffer_next(struct snapshot_buffer *b, struct snapshot_buffer_stack *s)
{
	if (b->next == b->nstack) {
		snapshot_buffer_clear(b);
		return false;
	}
	*s = b->stack[b->next++];
	s->id = b->id + b->next_id;
	b->next_id += s->n;
	return true;
}

void
snapshot_buffer_clear(struct snapshot_buffer *b)
{
	b->nid = b->nstack = b->next = b->next_id = 0;
}

void
snapshot_buffer_free(struct snapshot_buffer *b)
{
	free(b->id);
	free(b->stack);
}
