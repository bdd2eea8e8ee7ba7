/* live.c - profiles as they come, each stack in its time. */
#include "live.h"

#include "stack.h"
#include "stream.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#define SECOND 1000000000

/* Stacks of a plain profile that are kept apart from the sum at most. */
#define MAX_OPEN 65536

void
live_init(struct live *l)
{
	l->names = intern_new();
	trie_init(&l->trie);
	l->window.sums = true;
}

void
live_free(struct live *l)
{
	window_free(&l->window);
	trie_free(&l->trie);
	intern_free(l->names);
	buf_free(&l->comm);
	buf_free(&l->unit);
}

/* Let the open piece count. */
static void
commit(struct live *l)
{
	struct live_profile *p = &l->profile;

	if (p->supersedes)
		window_clear(&l->window);
	if (p->tallies.samples == 0 && p->quantum > 0)
		p->tallies.samples = p->weight / p->quantum;
	window_end(&l->window, p->begin, p->end, &p->tallies);
	p->supersedes = false;
	p->tallies = (struct tallies){ 0 };
	p->weight = 0;
}

/* The next piece of a sample stream begins where this one ends. */
static void
end_samples(struct live *l)
{
	commit(l);
	l->profile.begin = l->profile.end;
	if (l->ended != NULL)
		l->ended(l->arg);
}

void
live_flush(struct live *l)
{
	if (l->window.open.n == 0)
		return;
	if (l->profile.kind == LIVE_SAMPLES)
		end_samples(l);
	else if (l->profile.kind == LIVE_PLAIN || !l->had_snapshot)
		commit(l);
}

/* A sample; each second of its stream is a piece. */
static void
take_time(struct live *l, uint64_t time)
{
	struct live_profile *p = &l->profile;

	if (p->kind != LIVE_SAMPLES) {
		live_flush(l);
		*p = (struct live_profile){ .kind = LIVE_SAMPLES,
					    .begin = time,
					    .end = time };
	}
	if (l->window.open.n > 0 &&
	    (time < p->begin || time - p->begin >= SECOND))
		end_samples(l);
	if (time < p->begin)
		p->begin = p->end = time;
	if (time > p->end)
		p->end = time;
	p->tallies.samples++;
}

static void
add_stack(struct live *l, struct stack *stack, const struct stream *s)
{
	struct live_profile *p = &l->profile;
	const struct count *c = &s->f.count[s->f.counts == 2];

	stack_split(stack, l->names, s->f.stack);
	if (s->is_sample)
		take_time(l, s->time);
	l->gcd = c->micro > 0 ? 1 : count_gcd(l->gcd, c->units);
	p->weight += count_double(*c);
	slice_add(&l->window.open, trie_add(&l->trie, stack->id, stack->n), *c);
	if (p->kind == LIVE_PLAIN && l->window.open.n >= MAX_OPEN)
		commit(l);
}

/* What of a snapshot is still open when something else comes is lost. */
static void
leave_profile(struct live *l)
{
	live_flush(l);
	if (l->window.open.n > 0) {
		window_drop(&l->window);
		l->cut_off = true;
	}
}

/* What is counted does not change. */
static void
check_unit(struct live *l, const struct stream *s, const struct input *in)
{
	const struct str unit = meta_get(&s->f.header, "unit");

	if (l->unit.len == 0)
		buf_str(&l->unit, unit);
	else if (unit.len > 0 && !str_eq(unit, buf_slice(&l->unit)))
		errx(2, "%s:%" PRIu64 ": counts in %.*s, before it in %.*s",
		     in->name, in->line, (int)unit.len, unit.p,
		     (int)l->unit.len, l->unit.p);
}

static void
begin_profile(struct live *l, const struct stream *s, const struct input *in)
{
	struct live_profile *p = &l->profile;

	leave_profile(l);
	check_unit(l, s, in);
	*p = (struct live_profile){ .supersedes = s->supersedes,
				    .quantum = stream_number(s, "quantum"),
				    .tallies = stream_tallies(s) };
	if (s->kind == STREAM_SNAPSHOT) {
		p->kind = LIVE_SNAPSHOT;
		p->begin = s->begin;
		p->end = s->end;
	}
	l->hz = stream_number(s, "hz");
	l->comm.len = 0;
	meta_decode(&l->comm, meta_get(&s->f.header, "comm"));
}

static void
end_snapshot(struct live *l)
{
	struct live_profile *p = &l->profile;

	if (p->kind != LIVE_SNAPSHOT)
		return;
	commit(l);
	l->had_snapshot = true;
	if (l->ended != NULL)
		l->ended(l->arg);
	*p = (struct live_profile){ 0 };
}

void
live_read(struct live *l, struct input *in)
{
	struct stream s = { .f.counts = l->counts };
	struct stack stack = { 0 };
	enum stream_event event;

	l->profile = (struct live_profile){ 0 };
	l->had_snapshot = false;
	while ((event = stream_next(&s, in)) != STREAM_NOTHING) {
		if (event == STREAM_STACK)
			add_stack(l, &stack, &s);
		else if (event == STREAM_HEADER)
			begin_profile(l, &s, in);
		else
			end_snapshot(l);
	}
	leave_profile(l);
	stack_free(&stack);
	stream_free(&s);
}

double
live_samples(const struct live *l, struct window_total t)
{
	if (t.tallies.samples > 0)
		return t.tallies.samples;
	return l->gcd > 0 ? t.weight / (double)l->gcd : t.weight;
}
