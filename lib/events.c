/* events.c - which events of a trace are counted. */
#include "events.h"

#include "event.h"
#include "intern.h"
#include "mem.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>

/* How many events a message names. */
#define SHOWN 5

struct seen {
	bool wanted;
	uint64_t samples;
};

struct events {
	const char *wanted;
	struct intern *names;
	struct seen *seen; /* of each name */
	uint32_t n, current;
	size_t cap;
	struct buf name; /* of a sample of a stream */
	bool other_unit; /* than the stream says, for what is wanted */
};

struct events *
events_new(const char *wanted)
{
	struct events *e = mem_zero(1, sizeof(*e));

	e->wanted = wanted;
	e->names = intern_new();
	return e;
}

void
events_free(struct events *e)
{
	if (e == NULL)
		return;
	intern_free(e->names);
	buf_free(&e->name);
	free(e->seen);
	free(e);
}

static struct str
name_of(const struct events *e, uint32_t i)
{
	return intern_name(e->names, i);
}

/* An event as a message names it. */
static void
put_name(struct buf *out, struct str name)
{
	utf8_escape(out, name.len > 0 ? name : STR("[unknown]"));
}

static bool
is_wanted(const struct events *e, struct str name)
{
	if (e->wanted == NULL)
		return e->n == 0 || event_same(name, name_of(e, 0));
	return strcmp(e->wanted, "all") == 0 ||
	       event_matches(name, str_of(e->wanted));
}

static uint32_t
find(struct events *e, struct str name)
{
	uint32_t i = intern_id(e->names, name);

	if (i < e->n)
		return i;
	e->seen = mem_grow(e->seen, &e->cap, i + 1, sizeof(*e->seen));
	e->seen[i] = (struct seen){ .wanted = is_wanted(e, name) };
	return e->n++;
}

bool
events_see(struct events *e, struct str name)
{
	if (e->n == 0 || !str_eq(name_of(e, e->current), name))
		e->current = find(e, name);
	e->seen[e->current].samples++;
	return e->seen[e->current].wanted;
}

bool
events_see_sample(struct events *e, const struct meta *own,
		  const struct meta *header)
{
	struct str all = meta_get(header, "event");
	struct str event = meta_has(own, "event") ? meta_get(own, "event") :
						    all;

	e->name.len = 0;
	meta_decode(&e->name, event);
	if (!events_see(e, buf_slice(&e->name)))
		return false;
	/* The unit beside an event is that event's. */
	e->other_unit |= all.len > 0 && !str_eq(event, all);
	return true;
}

void
events_describe(const struct events *e, struct meta *all)
{
	struct str event = events_counted(e);

	if (event.len == 0)
		return;
	if (!meta_has(all, "event"))
		meta_set(all, "event", event);
	if (e->other_unit || !meta_has(all, "unit"))
		meta_set(all, "unit", event_unit(event));
}

struct str
events_current(const struct events *e)
{
	return e->n == 0 ? STR("") : name_of(e, e->current);
}

struct str
events_counted(const struct events *e)
{
	struct str first = STR(""), modifiers;
	uint32_t i;

	for (i = 0; i < e->n; i++) {
		if (!e->seen[i].wanted)
			continue;
		if (first.len == 0)
			first = name_of(e, i);
		else
			return event_name(first, &modifiers);
	}
	return first;
}

void
events_say(const struct events *e, const struct cmd *cmd, bool counted)
{
	struct buf out = { 0 }, first = { 0 };
	uint32_t i, n = 0;

	for (i = 0; i < e->n; i++) {
		if (e->seen[i].wanted || n++ >= SHOWN)
			continue;
		buf_str(&out, out.len > 0 ? STR(", ") : STR(""));
		put_name(&out, name_of(e, i));
		buf_printf(&out, " (%" PRIu64 " sample%s)", e->seen[i].samples,
			   str_plural(e->seen[i].samples, "", "s"));
	}
	if (n > SHOWN)
		buf_printf(&out, " and %" PRIu32 " other%s", n - SHOWN,
			   str_plural(n - SHOWN, "", "s"));
	if (out.len > 0 && !counted)
		cmd_note(cmd, "no samples of event %s; there are %.*s",
			 e->wanted, (int)out.len, out.p);
	if (out.len > 0 && e->wanted == NULL) {
		put_name(&first, name_of(e, 0));
		cmd_note(cmd,
			 "only event %.*s is counted, not %.*s; "
			 "see --event-filter",
			 (int)first.len, first.p, (int)out.len, out.p);
	}
	buf_free(&out);
	buf_free(&first);
}
