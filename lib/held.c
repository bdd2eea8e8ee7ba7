/* held.c - stacks that do not count yet. */
#include "held.h"

#include "mem.h"

#include <stdlib.h>

void
held_add(struct held *h, const struct stack *s, const struct count *count)
{
	h->id = mem_grow(h->id, &h->id_cap, h->nid + s->n, sizeof(*h->id));
	memcpy(h->id + h->nid, s->id, s->n * sizeof(*s->id));
	h->nid += s->n;
	h->stack = mem_grow(h->stack, &h->stack_cap, h->nstack + 1,
			    sizeof(*h->stack));
	h->stack[h->nstack++] =
	    (struct held_stack){ NULL, s->n, { count[0], count[1] } };
}

bool
held_take(struct held *h, struct held_stack *s)
{
	if (h->taken == h->nstack) {
		held_drop(h);
		return false;
	}
	*s = h->stack[h->taken++];
	s->id = h->id + h->taken_id;
	h->taken_id += s->n;
	return true;
}

void
held_drop(struct held *h)
{
	h->nid = h->nstack = h->taken = h->taken_id = 0;
}

void
held_free(struct held *h)
{
	free(h->id);
	free(h->stack);
}
