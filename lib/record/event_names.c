/* event_names.c - events by the names that perf gives them. */
#include "record/event_names.h"

#include "base/mem.h"
#include "perfdata/perfabi.h"
#include "record/pmu_events.h"
#include "record/tracepoints.h"
#include "record/uprobe.h"

#include <stdlib.h>

struct named_event {
	const char *names; /* separated by blanks */
	uint32_t type;
	uint64_t config;
};

/* perf_hw_id and perf_sw_ids of linux/perf_event.h */
static const struct named_event named[] = {
	{ "cycles cpu-cycles", PERF_TYPE_HARDWARE, 0 },
	{ "instructions", PERF_TYPE_HARDWARE, 1 },
	{ "cache-references", PERF_TYPE_HARDWARE, 2 },
	{ "cache-misses", PERF_TYPE_HARDWARE, 3 },
	{ "branches branch-instructions", PERF_TYPE_HARDWARE, 4 },
	{ "branch-misses", PERF_TYPE_HARDWARE, 5 },
	{ "bus-cycles", PERF_TYPE_HARDWARE, 6 },
	{ "stalled-cycles-frontend idle-cycles-frontend", PERF_TYPE_HARDWARE,
	  7 },
	{ "stalled-cycles-backend idle-cycles-backend", PERF_TYPE_HARDWARE, 8 },
	{ "ref-cycles", PERF_TYPE_HARDWARE, 9 },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, 0 },
	{ "task-clock", PERF_TYPE_SOFTWARE, 1 },
	{ "page-faults faults", PERF_TYPE_SOFTWARE, 2 },
	{ "context-switches cs", PERF_TYPE_SOFTWARE, 3 },
	{ "cpu-migrations migrations", PERF_TYPE_SOFTWARE, 4 },
	{ "minor-faults", PERF_TYPE_SOFTWARE, 5 },
	{ "major-faults", PERF_TYPE_SOFTWARE, 6 },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, 7 },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, 8 },
	{ "dummy", PERF_TYPE_SOFTWARE, 9 },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, 11 },
};

static bool
has_word(const char *words, struct str word)
{
	struct str rest = str_of(words);

	while (rest.len > 0) {
		if (str_eq(str_cut(&rest, ' '), word))
			return true;
	}
	return false;
}

static bool
find_named(struct str name, struct event_request *e)
{
	size_t i;

	for (i = 0; i < sizeof(named) / sizeof(*named); i++) {
		if (!has_word(named[i].names, name))
			continue;
		e->type = named[i].type;
		e->config = named[i].config;
		return true;
	}
	return false;
}

/* "L1-dcache-load-misses": a cache, what is done, and "-misses" or nothing. */
static bool
find_cache(struct str name, struct event_request *e)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache",
					      "LLC",       "dTLB",
					      "iTLB",      "branch",
					      "node" };
	static const char *const actions[][2] = {
		{ "-loads", "-load-misses" },
		{ "-stores", "-store-misses" },
		{ "-prefetches", "-prefetch-misses" }
	};
	struct str rest;
	uint64_t i, j, k;

	for (i = 0; i < sizeof(caches) / sizeof(*caches); i++) {
		if (!str_starts(name, str_of(caches[i])))
			continue;
		rest = str_skip(name, strlen(caches[i]));
		for (j = 0; j < 6; j++) {
			k = j / 2;
			if (!str_eq(rest, str_of(actions[k][j % 2])))
				continue;
			e->type = PERF_TYPE_HW_CACHE;
			e->config = i | k << 8 | (j % 2) << 16;
			return true;
		}
	}
	return false;
}

/* "r01c2" */
static bool
find_raw(struct str name, struct event_request *e)
{
	if (name.len < 2 || name.p[0] != 'r' ||
	    !str_hex(str_skip(name, 1), &e->config))
		return false;
	e->type = PERF_TYPE_RAW;
	return true;
}

/* "u", "k", "p".. "ppp", "P": as in perf-list(1) */
static bool
add_modifiers(struct str modifiers, struct event_request *e)
{
	uint64_t only = 0;
	size_t i;

	for (i = 0; i < modifiers.len; i++) {
		switch (modifiers.p[i]) {
		case 'u':
			only |= PERF_ATTR_EXCLUDE_KERNEL;
			break;
		case 'k':
			only |= PERF_ATTR_EXCLUDE_USER;
			break;
		case 'p':
			e->precise++;
			e->exact = true;
			break;
		case 'P':
			e->precise = 3;
			e->exact = false;
			break;
		default:
			return false;
		}
	}
	/* "uk" is both. */
	if (only != (PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_USER))
		e->excludes = only;
	return e->precise <= 3;
}

/* "period=1" or "freq=99" of one event; false if the term is another one. */
static bool
add_rate(struct str term, struct event_request *e)
{
	const struct str key = str_cut(&term, '=');
	uint64_t n;

	if (!str_u64(term, &n) || n == 0 || n > INT64_MAX)
		return false;
	if (str_eq(key, STR("period")))
		e->period = n;
	else if (str_eq(key, STR("freq")))
		e->hz = n;
	else
		return false;
	return true;
}

/* "period=1" after an event's name; others are for PMUs. */
static bool
add_rates(struct str terms, struct event_request *e)
{
	while (terms.len > 0) {
		if (!add_rate(str_cut(&terms, ','), e))
			return false;
	}
	return true;
}

/* The terms of a PMU without those of the rate, which it does not define. */
static bool
find_pmu(struct str pmu, struct str terms, struct event_request *e,
	 struct buf *why)
{
	struct buf rest = { 0 };
	struct str term;
	bool ok;

	while (terms.len > 0) {
		term = str_cut(&terms, ',');
		if (add_rate(term, e))
			continue;
		buf_str(&rest, term);
		buf_char(&rest, ',');
	}
	ok = pmu_events_find(pmu, buf_slice(&rest), e, why);
	buf_free(&rest);
	return ok;
}

static bool
find_simple(struct str name, struct event_request *e)
{
	return find_named(name, e) || find_cache(name, e) || find_raw(name, e);
}

/* "NAME/TERMS/MODIFIERS"; the terms are those of an event, or of a PMU. */
static bool
find_with_terms(struct str text, struct event_request *e, struct buf *why)
{
	struct str rest = text, name = str_cut(&rest, '/');
	const struct str terms = str_cut(&rest, '/');

	if (str_starts(rest, STR(":")))
		rest = str_skip(rest, 1);
	if (find_simple(name, e)) {
		if (!add_rates(terms, e)) {
			buf_printf(why, "unknown term: %.*s", (int)text.len,
				   text.p);
			return false;
		}
	} else if (!find_pmu(name, terms, e, why)) {
		return false;
	}
	if (add_modifiers(rest, e))
		return true;
	buf_printf(why, "unknown modifier: %.*s", (int)text.len, text.p);
	return false;
}

/* "sched:sched_switch:u" */
static bool
find_tracepoint(struct str text, struct event_request *e, struct buf *why)
{
	struct str rest = text, system = str_cut(&rest, ':'),
		   name = str_cut(&rest, ':');

	if (!tracepoints_find(system, name, &e->config, why))
		return false;
	e->type = PERF_TYPE_TRACEPOINT;
	if (add_modifiers(rest, e))
		return true;
	buf_printf(why, "unknown modifier: %.*s", (int)text.len, text.p);
	return false;
}

/* False with a reason if the name is that of no event. */
static bool
find(struct str text, struct event_request *e, struct buf *why)
{
	struct str rest = text, name;

	if (str_find(text, '/') != NULL)
		return find_with_terms(text, e, why);
	name = str_cut(&rest, ':');
	if (find_simple(name, e)) {
		if (add_modifiers(rest, e))
			return true;
		buf_printf(why, "unknown modifier: %.*s", (int)text.len,
			   text.p);
		return false;
	}
	if (rest.len > 0)
		return find_tracepoint(text, e, why);
	buf_printf(why, "unknown event: %.*s", (int)text.len, text.p);
	return false;
}

static bool
add(struct event_requests *all, struct str text, size_t leader, struct buf *why)
{
	struct event_request e = { .leader = leader };

	if (!(uprobe_is(text) ? uprobe_find(text, &e, &all->arena, why) :
				find(text, &e, why)))
		return false;
	if (e.name.len == 0)
		e.name = arena_str(&all->arena, text);
	all->event = mem_grow(all->event, &all->cap, all->n + 1,
			      sizeof(*all->event));
	all->event[all->n++] = e;
	return true;
}

/* Cut the next event off a list: commas between slashes are of its terms. */
static struct str
cut_event(struct str *list)
{
	const struct str all = *list;
	bool in_terms = false;
	size_t i;

	for (i = 0; i < all.len && (in_terms || all.p[i] != ','); i++)
		in_terms ^= all.p[i] == '/';
	*list = str_skip(all, i < all.len ? i + 1 : i);
	return (struct str){ all.p, i };
}

bool
event_names_add(struct event_requests *all, const char *list, struct buf *why)
{
	struct str rest = str_of(list), word;
	bool in_group = false;
	size_t leader = all->n;

	/* Paths and functions may have commas and braces. */
	if (uprobe_is(rest))
		return add(all, rest, leader, why);
	do {
		word = cut_event(&rest);
		if (str_starts(word, STR("{")) && !in_group) {
			in_group = true;
			leader = all->n;
			word = str_skip(word, 1);
		}
		if (!in_group)
			leader = all->n;
		if (in_group && str_ends(word, STR("}"))) {
			in_group = false;
			word.len--;
		}
		if (!add(all, word, leader, why))
			return false;
	} while (rest.len > 0);
	if (in_group)
		buf_printf(why, "%s: unterminated event group", list);
	return !in_group;
}

void
event_names_free(struct event_requests *all)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		uprobe_free(all->event[i].uprobe);
	free(all->event);
	arena_free(&all->arena);
}
