/* event_role.c - the role of each event of a stream: entry, return, sample. */
#include "split/event_role.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "folded/event.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Append the unit of an event.  The header has the unit of its own event. */
static void
add_unit(const struct samples *s, struct str event, struct buf *unit)
{
	struct buf name = { 0 };

	meta_decode(&name, meta_get(&s->header, "event"));
	if (meta_has(&s->header, "unit") && str_eq(buf_slice(&name), event))
		meta_decode(unit, meta_get(&s->header, "unit"));
	else
		buf_str(unit,
			event.len > 0 ? event_unit(event) : STR("samples"));
	buf_free(&name);
}

/* Whether an event with a role occurred. */
static bool
has_role(const struct event_roles *r, enum event_role role)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (r->cache[i].role == role)
			return true;
	}
	return false;
}

/* Exit: one event has two units. */
static void
reject_unit(const struct event_roles *r, const struct samples *s,
	    struct str unit, uint64_t line)
{
	struct buf text = { 0 };

	utf8_escape(&text, r->event);
	buf_str(&text, STR(" in "));
	utf8_escape(&text, unit);
	buf_str(&text, STR(", and before it in "));
	utf8_escape(&text, buf_slice(&r->unit));
	errx(2, "%s:%" PRIu64 ": samples of %.*s", s->in->name, line,
	     (int)text.len, text.p);
}

/*
 * Exit: two events have different units.  One may be the entry event, if the
 * user mistyped its name.
 */
static void
reject_event(const struct event_roles *r, const struct samples *s,
	     struct str event, uint64_t line)
{
	bool none = r->entry != NULL && !has_role(r, EVENT_ROLE_ENTRY);
	struct buf names = { 0 };

	utf8_escape(&names, event);
	buf_str(&names, STR(", and before it of "));
	utf8_escape(&names, r->event);
	errx(2, "%s:%" PRIu64 ": samples of %.*s: choose with --event%s%s",
	     s->in->name, line, (int)names.len, names.p,
	     none ? "; so far none are of " : "", none ? r->entry : "");
}

/* The role of an event that is no entry or return. */
static enum event_role
sample_role(struct event_roles *r, const struct samples *s, struct str event,
	    uint64_t line)
{
	struct buf unit = { 0 };

	if (r->sampled != NULL && !event_matches(event, str_of(r->sampled)))
		return EVENT_ROLE_OTHER;
	add_unit(s, event, &unit);
	if (r->unit.len == 0) {
		r->event = event;
		buf_str(&r->unit, buf_slice(&unit));
		r->is_ns = str_eq(buf_slice(&unit), STR("ns"));
	}
	if (!str_eq(buf_slice(&r->unit), buf_slice(&unit)) &&
	    str_eq(r->event, event))
		reject_unit(r, s, buf_slice(&unit), line);
	if (!str_eq(buf_slice(&r->unit), buf_slice(&unit)))
		reject_event(r, s, event, line);
	buf_free(&unit);
	return EVENT_ROLE_SAMPLE;
}

static enum event_role
find_role(struct event_roles *r, const struct samples *s, uint32_t number,
	  uint64_t line)
{
	struct str event = intern_name(s->events, number);

	if (r->entry != NULL && event_matches(event, str_of(r->entry)))
		return EVENT_ROLE_ENTRY;
	if (r->leave != NULL && event_matches(event, str_of(r->leave)))
		return EVENT_ROLE_RETURN;
	return sample_role(r, s, event, line);
}

/*
 * perf record -F skips hits of probes too, and the counts of the others show
 * it.  Then calls cannot be recognized.
 */
static void
check_all_recorded(const struct samples *s, const struct sample_line *sample)
{
	struct buf event = { 0 };

	if (count_cmp(sample->count, count_of(1)) == 0)
		return;
	utf8_escape(&event, intern_name(s->events, sample->origin->event));
	errx(2,
	     "%s:%" PRIu64 ": some %.*s events were not recorded: replace -F "
	     "of perf record by -e cpu-clock/freq=999/",
	     s->in->name, sample->line, (int)event.len, event.p);
}

enum event_role
event_role_of(struct event_roles *r, const struct samples *s,
	      const struct sample_line *sample)
{
	uint32_t event = sample->origin->event;
	struct event_role_cache *c;

	if (event >= r->n) {
		r->cache = mem_grow(r->cache, &r->cap, event + (size_t)1,
				    sizeof(*r->cache));
		for (; r->n <= event; r->n++)
			r->cache[r->n].role = EVENT_ROLE_UNKNOWN;
	}
	c = &r->cache[event];
	/* The next header may change the unit of an event. */
	if (c->role == EVENT_ROLE_UNKNOWN ||
	    (c->role == EVENT_ROLE_SAMPLE && c->headers != s->headers)) {
		c->role = find_role(r, s, event, sample->line);
		c->headers = s->headers;
	}
	if (c->role == EVENT_ROLE_ENTRY || c->role == EVENT_ROLE_RETURN)
		check_all_recorded(s, sample);
	return c->role;
}

/* Exit with a list of all events if none has a role that the user named. */
static void
check_event(const struct event_roles *r, const struct samples *s,
	    const char *name, enum event_role role)
{
	struct buf list = { 0 };
	uint32_t i;

	if (name == NULL || has_role(r, role) || r->n == 0)
		return;
	for (i = 0; i < intern_size(s->events); i++) {
		buf_str(&list, list.len > 0 ? STR(", ") : STR(""));
		utf8_escape(&list, intern_name(s->events, i));
	}
	errx(2, "no samples of %s; the input has: %.*s", name, (int)list.len,
	     list.p);
}

void
event_role_check(const struct event_roles *r, const struct samples *s)
{
	check_event(r, s, r->entry, EVENT_ROLE_ENTRY);
	check_event(r, s, r->leave, EVENT_ROLE_RETURN);
	check_event(r, s, r->sampled, EVENT_ROLE_SAMPLE);
}

void
event_role_free(struct event_roles *r)
{
	buf_free(&r->unit);
	free(r->cache);
}
