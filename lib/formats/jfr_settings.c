/* jfr_settings.c - what a chunk of Flight Recorder says of its sampling. */
#include "formats/jfr_settings.h"

/*
 * Walk over the events of a type, and read the fields of a plan; false at the
 * end.  Start with *at = 0.
 */
static bool
next_of_type(const struct jfr_chunk *chunk, const struct jfr_plan *plan,
	     size_t *at, struct jfr_value *value, size_t n, const char **end)
{
	struct jfr_event event;

	if (plan->type == NULL || jfr_chunk_count(chunk, plan->type->id) == 0)
		return false;
	while (jfr_chunk_event(chunk, at, &event)) {
		memset(value, 0, n * sizeof(*value));
		*end = event.fields.end;
		if (event.type == plan->type->id &&
		    jfr_value_read(plan, &chunk->types, &event.fields, value))
			return true;
	}
	return false;
}

/* Read the string of a field of an event; constants are not looked up. */
static struct str
read_string(struct buf *text, struct jfr_value value, const char *end)
{
	struct cursor c;
	uint64_t id;

	text->len = 0;
	if (value.at != NULL) {
		c = cursor_of(str_range(value.at, end), false);
		jfr_value_string(&c, text, &id);
	}
	return buf_slice(text);
}

void
jfr_settings_periods(const struct jfr_chunk *chunk,
		     void (*set)(void *arg, uint64_t type, struct str period),
		     void *arg)
{
	static const char *const names[] = { "id", "name", "value", NULL };
	struct jfr_plan plan = { 0 };
	struct jfr_value value[3];
	struct buf text = { 0 };
	const char *end;
	size_t at = 0;

	jfr_value_plan(
	    &plan, &chunk->types,
	    jfr_types_by_name(&chunk->types, STR("jdk.ActiveSetting")), names);
	while (next_of_type(chunk, &plan, &at, value, 3, &end)) {
		if (str_eq(read_string(&text, value[1], end), STR("period")))
			set(arg, value[0].n, read_string(&text, value[2], end));
	}
	jfr_value_plan_free(&plan);
	buf_free(&text);
}

uint64_t
jfr_settings_lost(const struct jfr_chunk *chunk)
{
	static const char *const names[] = { "lostSamples", NULL };
	struct jfr_plan plan = { 0 };
	struct jfr_value value[1];
	uint64_t lost = 0;
	const char *end;
	size_t at = 0;

	jfr_value_plan(
	    &plan, &chunk->types,
	    jfr_types_by_name(&chunk->types, STR("jdk.CPUTimeSamplesLost")),
	    names);
	while (next_of_type(chunk, &plan, &at, value, 1, &end)) {
		if (value[0].n <= UINT32_MAX)
			lost += value[0].n;
	}
	jfr_value_plan_free(&plan);
	return lost;
}
