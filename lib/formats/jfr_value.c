/* jfr_value.c - values of events and constants of Flight Recorder. */
#include "formats/jfr_value.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>

/* Deeper structs are malformed. */
enum { MAX_DEPTH = 16 };

/* Strings. */

enum {
	STRING_NULL,
	STRING_EMPTY,
	STRING_ID,
	STRING_UTF8,
	STRING_UTF16,
	STRING_LATIN1
};

/* n units of UTF-16, with surrogates joined where both halves are there. */
static void
read_utf16(struct cursor *c, uint64_t n, struct buf *text)
{
	uint32_t unit, high = 0;

	for (; n > 0 && !c->bad; n--) {
		unit = (uint32_t)jfr_value_integer(c) & 0xffff;
		if (high != 0 && unit >> 10 == 0xdc00 >> 10) {
			utf8_put(text, 0x10000 + ((high & 0x3ff) << 10) +
					   (unit & 0x3ff));
			high = 0;
			continue;
		}
		if (high != 0)
			utf8_put(text, 0xfffd);
		high = unit >> 10 == 0xd800 >> 10 ? unit : 0;
		if (high == 0)
			utf8_put(text, unit);
	}
}

/* Half of a character beyond U+FFFF, as three bytes; 0 if it is none. */
static uint32_t
surrogate(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;

	if (s.len < 3 || p[0] != 0xed || p[1] < 0xa0 || p[1] > 0xbf ||
	    (p[2] & 0xc0) != 0x80)
		return 0;
	return 0xd000 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
}

/*
 * Append the UTF-8 of the JVM, which encodes both halves of a character beyond
 * U+FFFF one by one.
 */
static void
put_utf8(struct buf *text, struct str s)
{
	const char *half;
	uint32_t high, low;

	while ((half = str_find(s, '\xed')) != NULL) {
		buf_str(text, str_range(s.p, half));
		s = str_range(half, s.p + s.len);
		high = surrogate(s);
		low = surrogate(str_skip(s, 3));
		if (high >> 10 == 0xd800 >> 10 && low >> 10 == 0xdc00 >> 10) {
			utf8_put(text, 0x10000 + ((high & 0x3ff) << 10) +
					   (low & 0x3ff));
			s = str_skip(s, 6);
		} else {
			buf_char(text, *s.p);
			s = str_skip(s, 1);
		}
	}
	buf_str(text, s);
}

bool
jfr_value_string(struct cursor *c, struct buf *text, uint64_t *id)
{
	struct str bytes;
	uint64_t n;
	size_t i;

	*id = 0;
	switch (leb_byte(c)) {
	case STRING_NULL:
	case STRING_EMPTY:
		return !c->bad;
	case STRING_ID:
		*id = jfr_value_integer(c);
		return !c->bad;
	case STRING_UTF8:
		put_utf8(text, cursor_bytes(c, jfr_value_integer(c)));
		return !c->bad;
	case STRING_UTF16:
		n = jfr_value_integer(c);
		if (n > cursor_left(c))
			return false;
		read_utf16(c, n, text);
		return !c->bad;
	case STRING_LATIN1:
		bytes = cursor_bytes(c, jfr_value_integer(c));
		for (i = 0; i < bytes.len; i++)
			utf8_put(text, (unsigned char)bytes.p[i]);
		return !c->bad;
	}
	return false;
}

static void
skip_string(struct cursor *c)
{
	uint64_t n;

	switch (leb_byte(c)) {
	case STRING_NULL:
	case STRING_EMPTY:
		break;
	case STRING_ID:
		jfr_value_integer(c);
		break;
	case STRING_UTF8:
	case STRING_LATIN1:
		cursor_bytes(c, jfr_value_integer(c));
		break;
	case STRING_UTF16:
		for (n = jfr_value_integer(c); n > 0 && !c->bad; n--)
			jfr_value_integer(c);
		break;
	default:
		c->bad = true;
	}
}

/* Values. */

static void skip_struct(const struct jfr_types *t, const struct jfr_type *type,
			struct cursor *c, int depth);

/* Skip one value; each has a byte or more, so that counts bound the work. */
static void
skip_one(const struct jfr_types *t, const struct jfr_field *f, struct cursor *c,
	 int depth)
{
	if (f->is_pool) {
		jfr_value_integer(c);
		return;
	}
	if (f->type == JFR_NO_TYPE) {
		c->bad = true;
		return;
	}
	switch (t->type[f->type].kind) {
	case JFR_STRUCT:
		skip_struct(t, &t->type[f->type], c, depth + 1);
		break;
	case JFR_INTEGER:
		jfr_value_integer(c);
		break;
	case JFR_BYTE:
		cursor_bytes(c, 1);
		break;
	case JFR_FLOAT:
		cursor_bytes(c, 4);
		break;
	case JFR_DOUBLE:
		cursor_bytes(c, 8);
		break;
	case JFR_STRING:
		skip_string(c);
		break;
	}
}

static void
skip_field(const struct jfr_types *t, const struct jfr_field *f,
	   struct cursor *c, int depth)
{
	uint64_t n = 1;

	if (f->is_array) {
		n = jfr_value_integer(c);
		c->bad |= n > cursor_left(c);
	}
	for (; n > 0 && !c->bad; n--)
		skip_one(t, f, c, depth);
}

static void
skip_struct(const struct jfr_types *t, const struct jfr_type *type,
	    struct cursor *c, int depth)
{
	size_t i;

	/* A type without fields would be a value without bytes. */
	if (depth > MAX_DEPTH || type->n == 0)
		c->bad = true;
	for (i = 0; i < type->n && !c->bad; i++)
		skip_field(t, &t->field[type->first + i], c, depth);
}

void
jfr_value_skip(const struct jfr_types *t, const struct jfr_type *type,
	       struct cursor *c)
{
	if (type->kind == JFR_STRUCT)
		skip_struct(t, type, c, 0);
	else if (type->kind == JFR_STRING)
		skip_string(c);
	else
		c->bad = true; /* primitives have no constants */
}

void
jfr_value_plan(struct jfr_plan *plan, const struct jfr_types *t,
	       const struct jfr_type *type, const char *const *names)
{
	size_t i;
	int slot;

	jfr_value_plan_free(plan);
	if (type == NULL || type->kind != JFR_STRUCT || type->n == 0)
		return;
	plan->type = type;
	plan->slot = mem_alloc(type->n);
	for (i = 0; i < type->n; i++) {
		plan->slot[i] = -1;
		for (slot = 0; names[slot] != NULL; slot++) {
			if (!str_eq(t->field[type->first + i].name,
				    str_of(names[slot])))
				continue;
			plan->slot[i] = (signed char)slot;
			plan->last = i;
		}
	}
}

void
jfr_value_plan_free(struct jfr_plan *plan)
{
	free(plan->slot);
	*plan = (struct jfr_plan){ 0 };
}

static bool
has_kind(const struct jfr_types *t, const struct jfr_field *f,
	 enum jfr_kind kind)
{
	return !f->is_array && !f->is_pool && f->type != JFR_NO_TYPE &&
	       t->type[f->type].kind == kind;
}

bool
jfr_value_is_number(const struct jfr_types *t, const struct jfr_field *f)
{
	return has_kind(t, f, JFR_INTEGER);
}

bool
jfr_value_read(const struct jfr_plan *plan, const struct jfr_types *t,
	       struct cursor *c, struct jfr_value *value)
{
	const struct jfr_field *f;
	struct jfr_value v;
	size_t i;

	if (plan->type == NULL)
		return false;
	for (i = 0; i <= plan->last && !c->bad; i++) {
		f = &t->field[plan->type->first + i];
		if (plan->slot[i] < 0) {
			skip_field(t, f, c, 0);
			continue;
		}
		v = (struct jfr_value){ .at = c->p };
		if (has_kind(t, f, JFR_INTEGER) || (f->is_pool && !f->is_array))
			v.n = jfr_value_integer(c);
		else
			skip_field(t, f, c, 0);
		if (has_kind(t, f, JFR_BYTE) && !c->bad)
			v.n = (unsigned char)*v.at;
		value[plan->slot[i]] = v;
	}
	return !c->bad;
}
