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

/* Dummy events rank below all others. */
#define DUMMY ((uint64_t)1 << 32)

#define NO_RANK UINT64_MAX

struct event_tally {
	bool wanted;   /* by the user */
	uint64_t rank; /* equal for PMUs of one event; 0 is the first choice */
	uint64_t samples;
};

struct event_choice {
	const char *wanted;
	struct intern *names;
	struct intern *keys;       /* event_key(), numbered by first use */
	struct event_tally *tally; /* for each name */
	uint32_t n, current;
	size_t cap;
	uint64_t announced; /* lowest rank of an announced event */
	uint64_t chosen;    /* rank that counts if the user wants none */
	bool unnamed;       /* there are samples without an event */
	bool at_once;       /* do not wait for the announced event */
	struct buf name;    /* event of a stream's sample, decoded */
	struct buf key;     /* scratch */
	bool other_unit;    /* a wanted event is not the one of the header */
};

struct event_choice *
event_choice_new(const char *wanted)
{
	struct event_choice *e = mem_zero(1, sizeof(*e));

	e->wanted = wanted;
	e->names = intern_new();
	e->keys = intern_new();
	e->announced = e->chosen = NO_RANK;
	return e;
}

void
event_choice_free(struct event_choice *e)
{
	if (e == NULL)
		return;
	intern_free(e->names);
	intern_free(e->keys);
	buf_free(&e->name);
	buf_free(&e->key);
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
	return e->wanted != NULL && (strcmp(e->wanted, "all") == 0 ||
				     event_matches(name, str_of(e->wanted)));
}

static uint64_t
find_rank(struct event_choice *e, struct str name)
{
	uint64_t rank;

	e->key.len = 0;
	event_key(&e->key, name);
	rank = intern_id(e->keys, buf_slice(&e->key));
	return event_is_dummy(name) ? DUMMY + rank : rank;
}

static uint32_t
find(struct event_choice *e, struct str name)
{
	uint32_t i = intern_id(e->names, name);

	if (i < e->n)
		return i;
	e->tally = mem_grow(e->tally, &e->cap, i + 1, sizeof(*e->tally));
	e->tally[i] = (struct event_tally){ .wanted = is_wanted(e, name),
					    .rank = find_rank(e, name) };
	return e->n++;
}

void
event_choice_announce(struct event_choice *e, struct str name)
{
	const uint32_t i = find(e, name);

	if (e->tally[i].rank < DUMMY && e->tally[i].rank < e->announced)
		e->announced = e->tally[i].rank;
}

void
event_choice_at_once(struct event_choice *e)
{
	e->at_once = true;
}

/* Whether the samples of a name count so far. */
static bool
is_counted(const struct event_choice *e, uint32_t i)
{
	if (e->wanted != NULL)
		return e->tally[i].wanted;
	return e->tally[i].rank == e->chosen;
}

bool
event_choice_is_final(const struct event_choice *e)
{
	if (e->wanted != NULL || e->at_once)
		return true;
	/* Samples of text may have no event, although its header names one. */
	return e->chosen < DUMMY && (e->chosen <= e->announced || e->unnamed);
}

/* Whether a sample of a rank counts, where the user wants no event. */
static enum event_verdict
judge(struct event_choice *e, uint64_t rank)
{
	const bool is_first = e->chosen == NO_RANK;

	if (is_first)
		e->chosen = e->at_once && e->announced != NO_RANK ?
				e->announced :
				rank;
	if (rank == e->chosen)
		return EVENT_COUNTS;
	if (rank > e->chosen || is_first || event_choice_is_final(e))
		return EVENT_SKIPPED;
	e->chosen = rank;
	return EVENT_REPLACES;
}

bool
event_choice_may_count(struct event_choice *e, struct str name)
{
	const struct event_tally *t = &e->tally[find(e, name)];

	if (e->wanted != NULL)
		return t->wanted;
	return e->chosen == NO_RANK || t->rank == e->chosen ||
	       (t->rank < e->chosen && !event_choice_is_final(e));
}

enum event_verdict
event_choice_add(struct event_choice *e, struct str name, uint64_t n)
{
	struct event_tally *t;

	if (e->n == 0 || !str_eq(name_of(e, e->current), name))
		e->current = find(e, name);
	t = &e->tally[e->current];
	t->samples += n;
	e->unnamed |= name.len == 0;
	if (e->wanted != NULL)
		return t->wanted ? EVENT_COUNTS : EVENT_SKIPPED;
	return judge(e, t->rank);
}

struct event_choice *
event_choice_fork(const struct event_choice *e)
{
	struct event_choice *fork = event_choice_new(e->wanted);
	uint32_t i;

	for (i = 0; i < e->n; i++)
		find(fork, name_of(e, i)); /* with the same ranks */
	fork->announced = e->announced;
	fork->chosen = e->chosen;
	fork->unnamed = e->unnamed;
	fork->at_once = e->at_once;
	return fork;
}

bool
event_choice_can_join(const struct event_choice *e,
		      const struct event_choice *fork)
{
	return fork->n == e->n && fork->unnamed == e->unnamed;
}

void
event_choice_join(struct event_choice *e, const struct event_choice *fork)
{
	uint32_t i;

	for (i = 0; i < fork->n; i++)
		e->tally[i].samples += fork->tally[i].samples;
}

enum event_verdict
event_choice_add_sample(struct event_choice *e, const struct meta *own,
			const struct meta *header)
{
	struct str all = meta_get(header, "event");
	struct str event = meta_has(own, "event") ? meta_get(own, "event") :
						    all;
	enum event_verdict verdict;

	e->name.len = 0;
	meta_decode(&e->name, event);
	verdict = event_choice_add(e, buf_slice(&e->name), 1);
	if (verdict == EVENT_REPLACES)
		e->other_unit = false;
	/* The unit in the header is that of the event in the header. */
	if (verdict != EVENT_SKIPPED)
		e->other_unit |= all.len > 0 && !str_eq(event, all);
	return verdict;
}

/* Whether all events that count have the same name, and the same unit. */
static void
compare_counted(const struct event_choice *e, bool *one_name, bool *one_unit)
{
	struct str first = STR(""), modifiers, name;
	uint32_t i;

	*one_name = *one_unit = true;
	for (i = 0; i < e->n; i++) {
		if (!is_counted(e, i) || e->tally[i].samples == 0)
			continue;
		name = event_name(name_of(e, i), &modifiers);
		if (first.len == 0)
			first = name;
		*one_name &= str_eq(name, first);
		*one_unit &= str_eq(event_unit(name), event_unit(first));
	}
}

void
event_choice_describe(const struct event_choice *e, struct meta *all)
{
	struct str event = event_choice_counted(e);
	bool one_name, one_unit;

	if (event.len == 0)
		return;
	compare_counted(e, &one_name, &one_unit);
	if (one_name && !meta_has(all, "event"))
		meta_set(all, "event", event);
	if (!one_unit)
		meta_unset(all, "unit");
	else if (e->other_unit || !meta_has(all, "unit"))
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
		if (!is_counted(e, i) || e->tally[i].samples == 0)
			continue;
		if (first.len == 0)
			first = name_of(e, i);
		else
			return event_name(first, &modifiers);
	}
	return first;
}

/* Append the event that the user wants, or that was chosen. */
static void
put_choice(const struct event_choice *e, struct buf *out)
{
	uint32_t i;

	if (e->wanted != NULL) {
		buf_str(out, str_of(e->wanted));
		return;
	}
	for (i = 0; i < e->n && !is_counted(e, i); i++)
		continue;
	put_name(out, i < e->n ? name_of(e, i) : STR(""));
}

/* Append the events that do not count, with their samples. */
static void
put_others(const struct event_choice *e, struct buf *out)
{
	uint32_t i, n = 0;

	for (i = 0; i < e->n; i++) {
		if (is_counted(e, i) || e->tally[i].samples == 0 ||
		    n++ >= NAMED)
			continue;
		buf_str(out, out->len > 0 ? STR(", ") : STR(""));
		put_name(out, name_of(e, i));
		buf_printf(out, " (%" PRIu64 " sample%s)", e->tally[i].samples,
			   str_plural(e->tally[i].samples, "", "s"));
	}
	if (n > NAMED)
		buf_printf(out, " and %" PRIu32 " other%s", n - NAMED,
			   str_plural(n - NAMED, "", "s"));
}

void
event_choice_report(const struct event_choice *e, const struct cmd *cmd,
		    bool counted)
{
	struct buf others = { 0 }, choice = { 0 };

	put_choice(e, &choice);
	put_others(e, &others);
	if (others.len > 0 && !counted)
		cmd_note(cmd, "no samples of event %.*s; the input has %.*s",
			 (int)choice.len, choice.p, (int)others.len, others.p);
	else if (others.len > 0 && e->wanted == NULL)
		cmd_note(
		    cmd,
		    "counting only event %.*s, not %.*s; see --event-filter",
		    (int)choice.len, choice.p, (int)others.len, others.p);
	buf_free(&others);
	buf_free(&choice);
}
