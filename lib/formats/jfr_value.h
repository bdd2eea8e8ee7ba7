/*
 * jfr_value.h - values of events and constants of Flight Recorder, in the
 * layouts of jfr_types.h.
 */
#ifndef JFR_VALUE_H
#define JFR_VALUE_H

#include "base/leb.h"
#include "formats/jfr_types.h"

/* Whether a field is one number. */
bool jfr_value_is_number(const struct jfr_types *t, const struct jfr_field *f);

/*
 * An integer of up to 9 bytes: eight of 7 bits, the lowest first, and one of 8.
 * Encodings may be longer than they need to be.
 */
static inline uint64_t
jfr_value_integer(struct cursor *c)
{
	uint64_t n = 0, byte;
	unsigned shift;

	for (shift = 0; shift < 56; shift += 7) {
		byte = leb_byte(c);
		n |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
	return n | (uint64_t)leb_byte(c) << 56;
}

/* A value of a plan: a number, an id, or where a string or array begins. */
struct jfr_value {
	uint64_t n;
	const char *at;
};

/*
 * Which fields of a type to read: field i goes to value[slot[i]], unless
 * slot[i] is negative.
 */
struct jfr_plan {
	const struct jfr_type *type; /* NULL: reads nothing */
	signed char *slot;
	size_t last; /* fields after this one need not be read */
};

/*
 * Make a plan to read the fields of these names, ended by NULL.  A field that
 * the type lacks keeps the value it has.  Free with jfr_value_plan_free().
 */
void jfr_value_plan(struct jfr_plan *plan, const struct jfr_types *t,
		    const struct jfr_type *type, const char *const *names);
void jfr_value_plan_free(struct jfr_plan *plan);

/* Read a value of the plan's type; false if it is malformed. */
bool jfr_value_read(const struct jfr_plan *plan, const struct jfr_types *t,
		    struct cursor *c, struct jfr_value *value);

/* Skip a value of a type; sets c->bad if it is malformed. */
void jfr_value_skip(const struct jfr_types *t, const struct jfr_type *type,
		    struct cursor *c);

/*
 * Read a string and append it to text as UTF-8.  Returns the id of a constant
 * string in *id if the string is one, else 0.  False if it is malformed.
 */
bool jfr_value_string(struct cursor *c, struct buf *text, uint64_t *id);

#endif
