/* spots.c - what code is at a spot, found once for all processes. */
#include "spots.h"

#include "mem.h"

#include <stdlib.h>

struct spot {
	uint64_t offset;
	const struct code *code; /* NULL: the slot is free */
	uint32_t where;
};

void
spots_free(struct spots *p)
{
	free(p->table);
	*p = (struct spots){ 0 };
}

/* The slot that has the spot, or the free one where it would be. */
static struct spot *
slot_of(const struct spots *p, uint64_t offset, uint32_t where)
{
	struct spot *slot;
	size_t i = (size_t)((offset ^ (uint64_t)where << 40) *
				UINT64_C(0x9e3779b97f4a7c15) >>
			    20);

	for (;; i++) {
		slot = &p->table[i & (p->cap - 1)];
		if (slot->code == NULL ||
		    (slot->offset == offset && slot->where == where))
			return slot;
	}
}

const struct code *
spots_find(const struct spots *p, uint64_t offset, uint32_t where)
{
	return p->n == 0 ? NULL : slot_of(p, offset, where)->code;
}

static void
grow(struct spots *p)
{
	struct spots old = *p;
	struct spot *slot;
	size_t i;

	p->cap = old.cap > 0 ? 2 * old.cap : 1024;
	p->table = mem_zero(p->cap, sizeof(*p->table));
	for (i = 0; i < old.cap; i++) {
		slot = &old.table[i];
		if (slot->code != NULL)
			*slot_of(p, slot->offset, slot->where) = *slot;
	}
	free(old.table);
}

void
spots_add(struct spots *p, uint64_t offset, uint32_t where,
	  const struct code *code)
{
	if (2 * p->n >= p->cap)
		grow(p);
	p->n++;
	*slot_of(p, offset, where) = (struct spot){ offset, code, where };
}
