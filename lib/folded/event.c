/* event.c - names of perf events, with their PMUs and modifiers. */
#include "folded/event.h"

/* The letters of perf-list(1), EVENT MODIFIERS. */
static bool
is_modifiers(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] == '\0' || strchr("ukhIGHpPSDeWbRX", s.p[i]) == NULL)
			return false;
	}
	return true;
}

/* Cut modifiers and their colon off s; *modifiers is empty if there are none.
 */
static struct str
cut_colon(struct str s, struct str *modifiers)
{
	const char *colon = s.len == 0 ? NULL : memrchr(s.p, ':', s.len);
	struct str tail;

	*modifiers = str_skip(s, s.len);
	if (colon == NULL)
		return s;
	tail = str_range(colon + 1, s.p + s.len);
	if (!is_modifiers(tail))
		return s;
	*modifiers = tail;
	return str_range(s.p, colon);
}

/*
 * The name without its modifiers: "cycles" for "cycles:ppp".  The colon of a
 * tracepoint, "sched:sched_switch", is part of its name.
 */
static struct str
without_modifiers(struct str event)
{
	struct str modifiers;

	return cut_colon(event, &modifiers);
}

/* Whether a term says how perf samples an event, not which event it is. */
static bool
is_sampling(struct str term)
{
	static const char *const keys[] = {
		"period",     "freq",         "time",    "call-graph",
		"stack-size", "max-stack",    "inherit", "no-inherit",
		"overwrite",  "no-overwrite", "percore", "driver-config"
	};
	struct str key = str_cut(&term, '=');
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (str_eq(key, str_of(keys[i])))
			return true;
	}
	return false;
}

/* The terms before the first sampling term: "cycles" for "cycles,freq=99". */
static struct str
cut_sampling(struct str terms)
{
	struct str rest = terms, name = { terms.p, 0 }, term;

	while (rest.len > 0) {
		term = str_cut(&rest, ',');
		if (is_sampling(term))
			break;
		name = str_range(terms.p, term.p + term.len);
	}
	return name;
}

struct str
event_name(struct str event, struct str *modifiers)
{
	struct str s = event, pmu, name;

	if (str_find(s, '/') == NULL)
		return cut_colon(s, modifiers);
	pmu = str_cut(&s, '/');
	if (pmu.len == 0 || str_find(s, '/') == NULL)
		return cut_colon(event, modifiers);
	name = str_cut(&s, '/');
	if (str_starts(s, STR(":")))
		s = str_skip(s, 1);
	if (name.len == 0 || !is_modifiers(s))
		return cut_colon(event, modifiers);
	*modifiers = s;
	/* "cycles/freq=99/" has terms but no PMU. */
	name = cut_sampling(name);
	return name.len > 0 ? name : pmu;
}

bool
event_same(struct str a, struct str b)
{
	struct str modifiers_a, modifiers_b;

	return str_eq(event_name(a, &modifiers_a),
		      event_name(b, &modifiers_b)) &&
	       str_eq(modifiers_a, modifiers_b);
}

bool
event_matches(struct str event, struct str wanted)
{
	struct str modifiers;

	return str_eq(event, wanted) ||
	       str_eq(without_modifiers(event), wanted) ||
	       str_eq(event_name(event, &modifiers), wanted) ||
	       event_same(event, wanted);
}

void
event_key(struct buf *out, struct str event)
{
	struct str modifiers, name = event_name(event, &modifiers);

	buf_str(out, modifiers);
	buf_char(out, ':');
	buf_str(out, name);
}

bool
event_is_dummy(struct str event)
{
	struct str modifiers;

	return str_eq(event_name(event, &modifiers), STR("dummy"));
}

struct str
event_unit(struct str event)
{
	static const char *const times[] = { "cpu-clock", "task-clock", "wall",
					     "off-cpu" };
	struct str modifiers, name = event_name(event, &modifiers);
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(*times); i++) {
		if (str_eq(name, str_of(times[i])))
			return STR("ns");
	}
	return name;
}
