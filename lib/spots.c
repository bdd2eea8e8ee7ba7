/* spots.c - what code is at a spot, found once for all processes. */
#include "spots.h"

#include "mem.h"

#include <stdbool.h>

/* A megabyte; less is rarely enough. */
#define FIRST ((size_t)1 << 16)

struct spot {
	uint64_t offset;
	uint32_t where;
	uint32_t code; /* 0: the slot is free */
};

void
spots_free(struct spots *p)
{
	if (p->cap > 0)
		mem_unmap(p->table, p->cap * sizeof(*p->table));
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
		if (slot->code == 0 ||
		    (slot->offset == offset && slot->where == where))
			return slot;
	}
}

uint32_t
spots_find(const struct spots *p, uint64_t offset, uint32_t where)
{
	return p->n == 0 ? 0 : slot_of(p, offset, where)->code;
}

static void
grow(struct spots *p)
{
	struct spots old = *p;
	struct spot *slot;
	size_t i;

	p->cap = old.cap > 0 ? 2 * old.cap : FIRST;
	p->table = mem_map(p->cap * sizeof(*p->table));
	for (i = 0; i < old.cap; i++) {
		slot = &old.table[i];
		if (slot->code != 0)
			*slot_of(p, slot->offset, slot->where) = *slot;
	}
	if (old.cap > 0)
		mem_unmap(old.table, old.cap * sizeof(*old.table));
}

void
spots_add(struct spots *p, uint64_t offset, uint32_t where, uint32_t code)
{
	if (4 * p->n >= 3 * p->cap)
		grow(p);
	p->n++;
	*slot_of(p, offset, where) = (struct spot){ offset, where, code };
}
