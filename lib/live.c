/* live.c - profiles as they come, each stack in its time. */
#include "live.h"

#include "folded.h"
#include "stack.h"

#include <stdlib.h>

#define SECOND 1000000000

/* Stacks of a plain profile that are kept apart from the sum at most. */
#define MAX_OPEN 65536

void
live_init(struct live *l)
{
	l->names = intern_new();
	trie_init(&l->trie);
}

void
live_free(struct live *l)
{
	window_free(&l->window);
	trie_free(&l->trie);
	intern_free(l->names);
	buf_free(&l->comm);
}

/* Let the open piece count. */
static void
commit(struct live *l)
{
	struct live_profile *p = &l->profile;

	if (p->supersedes)
		window_clear(&l->window);
	if (p->samples == 0 && p->quantum > 0)
		p->samples = p->weight / p->quantum;
	window_end(&l->window, p->begin, p->end, p->samples);
	p->supersedes = false;
	p->samples = p->weight = 0;
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
	p->samples++;
}

static void
add_stack(struct live *l, struct stack *stack, const struct folded *f)
{
	struct live_profile *p = &l->profile;
	const struct count *c = &f->count[f->counts == 2];
	uint64_t time;

	stack_split(stack, l->names, f->stack);
	if (meta_ns(&f->own, "time", &time))
		take_time(l, time);
	l->gcd = c->micro > 0 ? 1 : count_gcd(l->gcd, c->units);
	p->weight += count_double(*c);
	window_add(&l->window, trie_add(&l->trie, stack->id, stack->n),
		   count_double(*c));
	if (p->kind == LIVE_PLAIN && l->window.open.n >= MAX_OPEN)
		commit(l);
}

static double
number(const struct meta *m, const char *key)
{
	const struct str s = meta_get(m, key);
	struct count c;

	return count_parse(s, &c) == COUNT_OK ? count_double(c) : 0;
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

static void
begin_profile(struct live *l, const struct meta *m)
{
	struct live_profile *p = &l->profile;
	struct str kind = meta_get(m, "kind");
	uint64_t time, length;

	leave_profile(l);
	*p = (struct live_profile){ .quantum = number(m, "quantum"),
				    .samples = number(m, "n") };
	p->supersedes = kind.len > 0 && !str_eq(kind, STR("delta"));
	if (meta_ns(m, "time", &time) && meta_ns(m, "dur", &length) &&
	    length <= UINT64_MAX - time) {
		p->kind = LIVE_SNAPSHOT;
		p->begin = time;
		p->end = time + length;
	}
	l->hz = number(m, "hz");
	l->comm.len = 0;
	meta_decode(&l->comm, meta_get(m, "comm"));
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
	struct folded f = { .counts = l->counts };
	struct stack stack = { 0 };
	enum folded_kind kind;

	l->profile = (struct live_profile){ 0 };
	l->had_snapshot = false;
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			add_stack(l, &stack, &f);
		else if (kind == FOLDED_META && f.is_header)
			begin_profile(l, &f.header);
		else if (kind == FOLDED_BLANK)
			end_snapshot(l);
	}
	leave_profile(l);
	stack_free(&stack);
	folded_free(&f);
}

double
live_samples(const struct live *l, struct window_total t)
{
	if (t.samples > 0)
		return t.samples;
	return l->gcd > 0 ? t.weight / (double)l->gcd : t.weight;
}
