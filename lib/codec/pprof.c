/* pprof.c - read profiles in the format of pprof. */
#include "codec/pprof.h"

#include "base/mem.h"

#include <stdlib.h>

/* Bytes to read at a time; most fields are much shorter. */
#define WINDOW ((size_t)1 << 16)

/* More strings than a profile has; less than four letters as a number. */
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
add_message(struct pprof *p, struct pprof_part *part, struct str bytes)
{
	part->bytes = mem_grow(part->bytes, &part->cap, part->n + 1,
			       sizeof(*part->bytes));
	part->bytes[part->n++] = arena_str(&p->arena, bytes);
}

static bool
add_by_id(struct pprof *p, struct pprof_part *part, struct str bytes)
{
	uint64_t id;
	uint32_t other;

	if (part->n == UINT32_MAX)
		return false;
	id = pprof_number(bytes, PPROF_ID);
	p->is_ambiguous |= id != 0 && u64map_get(&part->by_id, id, &other);
	u64map_put(&part->by_id, id, (uint32_t)part->n);
	add_message(p, part, bytes);
	part->out_of_order |= id != part->n;
	return true;
}

static bool
add_field(struct pprof *p, const struct proto *f)
{
	switch (f->number) {
	case PPROF_TYPE:
		add_message(p, &p->types, f->bytes);
		return true;
	case PPROF_STRING:
		add_message(p, &p->strings, f->bytes);
		return true;
	case PPROF_MAPPING:
		return add_by_id(p, &p->mappings, f->bytes);
	case PPROF_LOCATION:
		return add_by_id(p, &p->locations, f->bytes);
	case PPROF_FUNCTION:
		return add_by_id(p, &p->functions, f->bytes);
	case PPROF_DEFAULT:
		p->default_type = f->value;
	}
	return true;
}

/* If the window ends within a field, parse the field again with more bytes. */
bool
pprof_next(struct pprof_fields *r, struct proto *field)
{
	size_t want = WINDOW;

	while (!proto_next(&r->rest, field)) {
		input_take(r->in, r->window.len - r->rest.len);
		r->window = r->rest = input_bytes(r->in, want);
		if (r->window.len < want)
			return proto_next(&r->rest, field);
		want = 2 * r->window.len;
	}
	return true;
}

const char *
pprof_index(struct pprof *p, struct input *in)
{
	struct pprof_fields fields = { .in = in };
	struct proto f;

	while (pprof_next(&fields, &f)) {
		if (!add_field(p, &f))
			return "too many entries of one kind";
	}
	if (p->is_ambiguous)
		return "a duplicate id: two profiles in one file?";
	return fields.rest.len == 0 ? NULL :
				      "not a field of a profile, or truncated";
}

static void
free_part(struct pprof_part *part)
{
	free(part->bytes);
	u64map_free(&part->by_id);
}

void
pprof_free(struct pprof *p)
{
	free_part(&p->types);
	free_part(&p->strings);
	free_part(&p->mappings);
	free_part(&p->locations);
	free_part(&p->functions);
	arena_free(&p->arena);
}

/* Whether a field of a profile has the right type. */
static bool
is_plausible(const struct proto *f)
{
	/* Comments are numbers of strings, perhaps packed. */
	if (f->number == PPROF_COMMENT)
		return f->is_bytes || f->value < MANY_STRINGS;
	return f->number > 0 && f->number <= 15 &&
	       f->is_bytes == (f->number <= PPROF_STRING ||
			       f->number == PPROF_PERIOD_TYPE);
}

/* Every message has such bytes, but text does not. */
static bool
has_low_byte(struct str s)
{
	for (; s.len > 0; s = str_skip(s, 1)) {
		if ((unsigned char)*s.p < '\t')
			return true;
	}
	return false;
}

/* All fields are plausible; the first sample type consists of two numbers. */
bool
pprof_begins(struct str s)
{
	struct proto f, part;
	int parts = 0;

	if (!has_low_byte(s))
		return false;
	while (proto_next(&s, &f)) {
		if (!is_plausible(&f))
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
