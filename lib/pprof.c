/* pprof.c - the parts of a profile in the format of pprof. */
#include "pprof.h"

#include "mem.h"

#include <stdlib.h>

/* Bytes at hand: most fields are much shorter. */
#define WINDOW ((size_t)1 << 16)

/* More than a profile has, and less than four letters are as a number. */
#define MANY_STRINGS (UINT64_C(1) << 24)

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
keep(struct pprof *p, struct pprof_part *part, struct str bytes)
{
	part->bytes = mem_grow(part->bytes, &part->cap, part->n + 1,
			       sizeof(*part->bytes));
	part->bytes[part->n++] = arena_str(&p->arena, bytes);
}

static bool
keep_by_id(struct pprof *p, struct pprof_part *part, struct str bytes)
{
	uint64_t id;
	uint32_t other;

	if (part->n == UINT32_MAX)
		return false;
	id = pprof_number(bytes, PPROF_ID);
	p->is_ambiguous |= id != 0 && map_get(&part->by_id, id, &other);
	map_put(&part->by_id, id, (uint32_t)part->n);
	keep(p, part, bytes);
	part->out_of_order |= id != part->n;
	return true;
}

static bool
keep_field(struct pprof *p, const struct proto *f)
{
	switch (f->number) {
	case PPROF_TYPE:
		keep(p, &p->types, f->bytes);
		return true;
	case PPROF_STRING:
		keep(p, &p->strings, f->bytes);
		return true;
	case PPROF_MAPPING:
		return keep_by_id(p, &p->mappings, f->bytes);
	case PPROF_LOCATION:
		return keep_by_id(p, &p->locations, f->bytes);
	case PPROF_FUNCTION:
		return keep_by_id(p, &p->functions, f->bytes);
	case PPROF_DEFAULT:
		p->default_type = f->value;
	}
	return true;
}

/* What is cut by the end of what is at hand is tried again with more. */
bool
pprof_next(struct pprof_fields *r, struct proto *field)
{
	size_t want = WINDOW;

	while (!proto_next(&r->rest, field)) {
		input_take(r->in, r->at_hand.len - r->rest.len);
		r->at_hand = r->rest = input_bytes(r->in, want);
		if (r->at_hand.len < want)
			return proto_next(&r->rest, field);
		want = 2 * r->at_hand.len;
	}
	return true;
}

const char *
pprof_index(struct pprof *p, struct input *in)
{
	struct pprof_fields fields = { .in = in };
	struct proto f;

	while (pprof_next(&fields, &f)) {
		if (!keep_field(p, &f))
			return "more of a kind than can be counted";
	}
	if (p->is_ambiguous)
		return "an id that is there twice: two profiles in one?";
	return fields.rest.len == 0 ? NULL :
				      "not a field of a profile, or cut short";
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
	arena_free(&p->arena);
}

/* A comment is the number of a string, or many are in bytes. */
static bool
is_known(const struct proto *f)
{
	if (f->number == PPROF_COMMENT)
		return f->is_bytes || f->value < MANY_STRINGS;
	return f->number > 0 && f->number <= 15 &&
	       f->is_bytes == (f->number <= PPROF_STRING ||
			       f->number == PPROF_PERIOD_TYPE);
}

/* No text has such bytes, and no message does without. */
static bool
has_low_byte(struct str s)
{
	for (; s.len > 0; s = str_skip(s, 1)) {
		if ((unsigned char)*s.p < '\t')
			return true;
	}
	return false;
}

/* Fields with the numbers of a profile, the first a type of two strings. */
bool
pprof_begins(struct str s)
{
	struct proto f, part;
	int parts = 0;

	if (!has_low_byte(s))
		return false;
	while (proto_next(&s, &f)) {
		if (!is_known(&f))
			return false;
		if (parts++ > 0 || f.number != 1)
			continue;
		while (proto_next(&f.bytes, &part)) {
			if (part.number > 2 || part.is_bytes)
				return false;
		}
		if (f.bytes.len > 0)
			return false;
	}
	return parts >= 3;
}
