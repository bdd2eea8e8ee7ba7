/* event_choice.c - choose the events of a trace to count. */
#include "folded/event_choice.h"

#include "base/intern.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "folded/event.h"

#include <inttypes.h>
#include <stdlib.h>

/* A message names this many events. */
#define NAMED 5

struct event_tally {
	bool wanted;
	uint64_t samples;
};

struct event_choice {
	const char *wanted;
	struct intern *names;
	struct event_tally *tally; /* for each name */
	uint32_t n, current;
	size_t cap;
	struct buf name; /* event of a stream's sample, decoded */
	bool other_unit; /* a wanted event is not the one of the header */
};

struct event_choice *
event_choice_new(const char *wanted)
{
	struct event_choice *e = mem_zero(1, sizeof(*e));

	e->wanted = wanted;
	e->names = intern_new();
	return e;
}

void
event_choice_free(struct event_choice *e)
{
	if (e == NULL)
		return;
	intern_free(e->names);
	buf_free(&e->name);
	free(e->tally);
	free(e);
}

static struct str
name_of(const struct event_choice *e, uint32_t i)
{
	return intern_name(e->names, i);
}

/* Append an event as a message names it. */
static void
put_name(struct buf *out, struct str name)
{
	utf8_escape(out, name.len > 0 ? name : STR("[unknown]"));
}

static bool
is_wanted(const struct event_choice *e, struct str name)
{
	if (e->wanted == NULL)
		return e->n == 0 || event_same(name, name_of(e, 0));
	return strcmp(e->wanted, "all") == 0 ||
	       event_matches(name, str_of(e->wanted));
}

static uint32_t
find(struct event_choice *e, struct str name)
{
	uint32_t i = intern_id(e->names, name);

	if (i < e->n)
		return i;
	e->tally = mem_grow(e->tally, &e->cap, i + 1, sizeof(*e->tally));
	e->tally[i] = (struct event_tally){ .wanted = is_wanted(e, name) };
	return e->n++;
}

bool
event_choice_add(struct event_choice *e, struct str name)
{
	if (e->n == 0 || !str_eq(name_of(e, e->current), name))
		e->current = find(e, name);
	e->tally[e->current].samples++;
	return e->tally[e->current].wanted;
}

bool
event_choice_add_sample(struct event_choice *e, const struct meta *own,
			const struct meta *header)
{
	struct str all = meta_get(header, "event");
	struct str event = meta_has(own, "event") ? meta_get(own, "event") :
						    all;

	e->name.len = 0;
	meta_decode(&e->name, event);
	if (!event_choice_add(e, buf_slice(&e->name)))
		return false;
	/* The unit in the header is that of the event in the header. */
	e->other_unit |= all.len > 0 && !str_eq(event, all);
	return true;
}

void
event_choice_describe(const struct event_choice *e, struct meta *all)
{
	struct str event = event_choice_counted(e);

	if (event.len == 0)
		return;
	if (!meta_has(all, "event"))
		meta_set(all, "event", event);
	if (e->other_unit || !meta_has(all, "unit"))
		meta_set(all, "unit", event_unit(event));
}

struct str
event_choice_current(const struct event_choice *e)
{
	return e->n == 0 ? STR("") : name_of(e, e->current);
}

struct str
event_choice_counted(const struct event_choice *e)
{
	struct str first = STR(""), modifiers;
	uint32_t i;

	for (i = 0; i < e->n; i++) {
		if (!e->tally[i].wanted)
			continue;
		if (first.len == 0)
			first = name_of(e, i);
		else
			return event_name(first, &modifiers);
	}
	return first;
}

void
event_choice_report(const struct event_choice *e, const struct cmd *cmd,
		    bool counted)
{
	struct buf out = { 0 }, first = { 0 };
	uint32_t i, n = 0;

	for (i = 0; i < e->n; i++) {
		if (e->tally[i].wanted || n++ >= NAMED)
			continue;
		buf_str(&out, out.len > 0 ? STR(", ") : STR(""));
		put_name(&out, name_of(e, i));
		buf_printf(&out, " (%" PRIu64 " sample%s)", e->tally[i].samples,
			   str_plural(e->tally[i].samples, "", "s"));
	}
	if (n > NAMED)
		buf_printf(&out, " and %" PRIu32 " other%s", n - NAMED,
			   str_plural(n - NAMED, "", "s"));
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
