/* pmu_events.c - events of a PMU, described in sysfs. */
#include "record/pmu_events.h"

#include "sampler/procfile.h"

#include <stdio.h>

#define DEVICES "/sys/bus/event_source/devices"

/*
 * Read a file of a PMU, without the newline at its end.  Names become paths, so
 * that only those are valid which stay below the PMU's folder.
 */
static bool
read_file(struct buf *text, struct str pmu, const char *folder, struct str name)
{
	struct buf path = { 0 };
	bool ok = pmu.len > 0 && str_find(pmu, '/') == NULL &&
		  pmu.p[0] != '.' && name.len > 0 &&
		  str_find(name, '/') == NULL && name.p[0] != '.';

	if (ok) {
		buf_printf(&path, DEVICES "/%.*s/%s%.*s", (int)pmu.len, pmu.p,
			   folder, (int)name.len, name.p);
		buf_char(&path, '\0');
		ok = procfile_read(text, path.p);
	}
	while (ok && text->len > 0 && text->p[text->len - 1] == '\n')
		text->len--;
	buf_free(&path);
	return ok;
}

/* "0x3c" or "60" */
static bool
read_number(struct str s, uint64_t *n)
{
	return str_starts(s, STR("0x")) ? str_hex(str_skip(s, 2), n) :
					  str_u64(s, n);
}

/* The field of the attr that a format or a term names; NULL if none. */
static uint64_t *
config_of(struct event_request *e, struct str name)
{
	if (str_eq(name, STR("config")))
		return &e->config;
	if (str_eq(name, STR("config1")))
		return &e->config1;
	if (str_eq(name, STR("config2")))
		return &e->config2;
	return NULL;
}

/* Put the bits of a value where a format says: "config:0-7,32-35". */
static bool
set_bits(struct event_request *e, struct str format, uint64_t value)
{
	uint64_t *config = config_of(e, str_cut(&format, ':'));
	struct str range;
	uint64_t from, to;

	while (config != NULL && format.len > 0) {
		range = str_cut(&format, ',');
		if (!str_u64(str_cut(&range, '-'), &from) || from > 63)
			return false;
		to = from;
		if (range.len > 0 &&
		    (!str_u64(range, &to) || to > 63 || to < from))
			return false;
		for (; from <= to; from++) {
			*config &= ~(UINT64_C(1) << from);
			*config |= (value & 1) << from;
			value >>= 1;
		}
	}
	/* What is left of the value has no place. */
	return config != NULL && value == 0;
}

/* "event=0x3c", or "pc" for 1 */
static bool
add_field(struct event_request *e, struct str pmu, struct str term,
	  struct buf *text)
{
	struct str value = term, name = str_cut(&value, '=');
	uint64_t n = 1, *config = config_of(e, name);

	if (name.len < term.len && !read_number(value, &n))
		return false;
	if (config != NULL) {
		*config = n;
		return true;
	}
	return read_file(text, pmu, "format/", name) &&
	       set_bits(e, buf_slice(text), n);
}

/* The name of an event stands for terms that are all fields. */
static bool
add_event(struct event_request *e, struct str pmu, struct str name)
{
	struct buf terms = { 0 }, text = { 0 };
	struct str rest;
	bool ok = read_file(&terms, pmu, "events/", name);

	rest = buf_slice(&terms);
	while (ok && rest.len > 0)
		ok = add_field(e, pmu, str_cut(&rest, ','), &text);
	buf_free(&terms);
	buf_free(&text);
	return ok;
}

bool
pmu_events_find(struct str pmu, struct str terms, struct event_request *e,
		struct buf *why)
{
	struct buf text = { 0 };
	struct str term;
	uint64_t type;
	bool ok = read_file(&text, pmu, "", STR("type")) &&
		  str_u64(buf_slice(&text), &type) && type <= UINT32_MAX;

	if (!ok)
		buf_printf(why,
			   "this machine has no events of %.*s: see the "
			   "directories in " DEVICES,
			   (int)pmu.len, pmu.p);
	else
		e->type = (uint32_t)type;
	while (ok && terms.len > 0) {
		term = str_cut(&terms, ',');
		ok = term.len == 0 || add_event(e, pmu, term) ||
		     add_field(e, pmu, term, &text);
		if (!ok)
			buf_printf(why,
				   "%.*s: the events of %.*s have no such "
				   "term: see " DEVICES "/%.*s",
				   (int)term.len, term.p, (int)pmu.len, pmu.p,
				   (int)pmu.len, pmu.p);
	}
	buf_free(&text);
	return ok;
}
