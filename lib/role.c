/* role.c - what the events of a stream are to who sets its samples apart. */
#include "role.h"

#include "event.h"
#include "mem.h"
#include "utf8.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* The unit of an event: the header has that of its own. */
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

static bool
saw(const struct roles *r, enum role role)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		if (r->known[i].role == role)
			return true;
	}
	return false;
}

/* One event, in two units. */
static void
refuse_unit(const struct roles *r, const struct samples *s, struct str unit,
	    uint64_t line)
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

/* A second unit; perhaps since what should begin calls has another name. */
static void
refuse(const struct roles *r, const struct samples *s, struct str event,
       uint64_t line)
{
	bool none = r->entry != NULL && !saw(r, ROLE_ENTRY);
	struct buf names = { 0 };

	utf8_escape(&names, event);
	buf_str(&names, STR(", and before it of "));
	utf8_escape(&names, r->event);
	errx(2, "%s:%" PRIu64 ": samples of %.*s: choose with --event%s%s",
	     s->in->name, line, (int)names.len, names.p,
	     none ? "; so far none are of " : "", none ? r->entry : "");
}

/* Samples of an event are set apart if they are of the first one's unit. */
static enum role
sample_role(struct roles *r, const struct samples *s, struct str event,
	    uint64_t line)
{
	struct buf unit = { 0 };

	if (r->sampled != NULL && !event_matches(event, str_of(r->sampled)))
		return ROLE_OTHER;
	add_unit(s, event, &unit);
	if (r->unit.len == 0) {
		r->event = event;
		buf_str(&r->unit, buf_slice(&unit));
		r->is_ns = str_eq(buf_slice(&unit), STR("ns"));
	}
	if (!str_eq(buf_slice(&r->unit), buf_slice(&unit)) &&
	    str_eq(r->event, event))
		refuse_unit(r, s, buf_slice(&unit), line);
	if (!str_eq(buf_slice(&r->unit), buf_slice(&unit)))
		refuse(r, s, event, line);
	buf_free(&unit);
	return ROLE_SAMPLE;
}

static enum role
find_role(struct roles *r, const struct samples *s, uint32_t number,
	  uint64_t line)
{
	struct str event = intern_name(s->events, number);

	if (r->entry != NULL && event_matches(event, str_of(r->entry)))
		return ROLE_ENTRY;
	if (r->leave != NULL && event_matches(event, str_of(r->leave)))
		return ROLE_RETURN;
	return sample_role(r, s, event, line);
}

/*
 * perf record -F leaves out some of the hits of probes too, and the count of
 * the others says so: then calls cannot be told.
 */
static void
check_all_recorded(const struct samples *s, const struct sample_line *sample)
{
	struct buf event = { 0 };

	if (count_cmp(sample->count, count_of(1)) == 0)
		return;
	utf8_escape(&event, intern_name(s->events, sample->origin->event));
	errx(2,
	     "%s:%" PRIu64 ": not every %.*s was recorded: give perf record no "
	     "-F, but -e cpu-clock/freq=999/",
	     s->in->name, sample->line, (int)event.len, event.p);
}

enum role
role_of(struct roles *r, const struct samples *s,
	const struct sample_line *sample)
{
	uint32_t event = sample->origin->event;
	struct role_known *k;

	if (event >= r->n) {
		r->known = mem_grow(r->known, &r->cap, event + (size_t)1,
				    sizeof(*r->known));
		for (; r->n <= event; r->n++)
			r->known[r->n].role = ROLE_UNKNOWN;
	}
	k = &r->known[event];
	/* Its unit may be another one in another header. */
	if (k->role == ROLE_UNKNOWN ||
	    (k->role == ROLE_SAMPLE && k->headers != s->headers)) {
		k->role = find_role(r, s, event, sample->line);
		k->headers = s->headers;
	}
	if (k->role == ROLE_ENTRY || k->role == ROLE_RETURN)
		check_all_recorded(s, sample);
	return k->role;
}

/* The events that there are, for who named one that is not there. */
static void
check_event(const struct roles *r, const struct samples *s, const char *name,
	    enum role role)
{
	struct buf list = { 0 };
	uint32_t i;

	if (name == NULL || saw(r, role) || r->n == 0)
		return;
	for (i = 0; i < intern_size(s->events); i++) {
		buf_str(&list, list.len > 0 ? STR(", ") : STR(""));
		utf8_escape(&list, intern_name(s->events, i));
	}
	errx(2, "no samples of %s; there are those of: %.*s", name,
	     (int)list.len, list.p);
}

void
roles_check(const struct roles *r, const struct samples *s)
{
	check_event(r, s, r->entry, ROLE_ENTRY);
	check_event(r, s, r->leave, ROLE_RETURN);
	check_event(r, s, r->sampled, ROLE_SAMPLE);
}

void
roles_free(struct roles *r)
{
	buf_free(&r->unit);
	free(r->known);
}
