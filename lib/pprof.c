/* pprof.c - the parts of a profile in the format of pprof. */
#include "pprof.h"

#include "mem.h"

#include <stdlib.h>

/* The field of the id, in all messages that have one. */
enum { ID = 1 };

uint64_t
pprof_number(struct str message, uint32_t field)
{
	struct proto f;
	uint64_t n = 0;

	while (proto_next(&message, &f)) {
		if (f.number == field && !f.is_bytes)
			n = f.value;
	}
	return n;
}

struct str
pprof_string(const struct pprof *p, uint64_t i)
{
	return i < p->strings.n ? p->strings.bytes[i] : STR("");
}

struct str
pprof_message(const struct pprof_part *part, uint64_t id)
{
	uint32_t i;

	return pprof_find(part, id, &i) ? part->bytes[i] : STR("");
}

static void
keep(struct pprof_part *part, struct str bytes)
{
	part->bytes = mem_grow(part->bytes, &part->cap, part->n + 1,
			       sizeof(*part->bytes));
	part->bytes[part->n++] = bytes;
}

static bool
keep_by_id(struct pprof_part *part, struct str bytes)
{
	uint64_t id;

	if (part->n == UINT32_MAX)
		return false;
	id = pprof_number(bytes, ID);
	map_put(&part->by_id, id, (uint32_t)part->n);
	keep(part, bytes);
	part->out_of_order |= id != part->n;
	return true;
}

static bool
keep_field(struct pprof *p, const struct proto *f)
{
	switch (f->number) {
	case PPROF_TYPE:
		keep(&p->types, f->bytes);
		return true;
	case PPROF_STRING:
		keep(&p->strings, f->bytes);
		return true;
	case PPROF_MAPPING:
		return keep_by_id(&p->mappings, f->bytes);
	case PPROF_LOCATION:
		return keep_by_id(&p->locations, f->bytes);
	case PPROF_FUNCTION:
		return keep_by_id(&p->functions, f->bytes);
	case PPROF_DEFAULT:
		p->default_type = f->value;
	}
	return true;
}

bool
pprof_index(struct pprof *p, struct str all)
{
	struct proto f;

	while (proto_next(&all, &f)) {
		if (!keep_field(p, &f))
			return false;
	}
	return all.len == 0;
}

static void
forget(struct pprof_part *part)
{
	free(part->bytes);
	map_free(&part->by_id);
}

void
pprof_free(struct pprof *p)
{
	forget(&p->types);
	forget(&p->strings);
	forget(&p->mappings);
	forget(&p->locations);
	forget(&p->functions);
}
