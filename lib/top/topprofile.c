/* topprofile.c - reads profiles into a time window while they arrive. */
#include "top/topprofile.h"

#include "folded/stack.h"
#include "stream/stream.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#define SECOND 1000000000

/* Commit a plain profile when this many stacks are open. */
#define MAX_OPEN 65536

void
topprofile_init(struct topprofile *p)
{
	p->names = intern_new();
	trie_init(&p->trie);
	p->window.sums = true;
}

void
topprofile_free(struct topprofile *p)
{
	window_free(&p->window);
	trie_free(&p->trie);
	intern_free(p->names);
	buf_free(&p->comm);
	meta_free(&p->meta);
}

/* Add the open part to the window. */
static void
commit(struct topprofile *p)
{
	struct topprofile_part *part = &p->part;

	if (part->supersedes)
		window_clear(&p->window);
	if (part->tallies.samples == 0 && part->quantum > 0)
		part->tallies.samples = part->weight / part->quantum;
	window_end(&p->window, part->begin, part->end, &part->tallies);
	part->supersedes = false;
	part->tallies = (struct tallies){ 0 };
	part->weight = 0;
}

/* Commit a part of a sample stream.  The next part begins where it ends. */
static void
end_samples(struct topprofile *p)
{
	commit(p);
	p->part.begin = p->part.end;
	if (p->ended != NULL)
		p->ended(p->arg);
}

void
topprofile_flush(struct topprofile *p)
{
	if (p->window.open.n == 0)
		return;
	if (p->part.kind == TOPPROFILE_SAMPLES)
		end_samples(p);
	else if (p->part.kind == TOPPROFILE_PLAIN || !p->had_snapshot)
		commit(p);
}

/* Add the time of a sample.  Each second of a sample stream is a part. */
static void
add_time(struct topprofile *p, uint64_t time)
{
	struct topprofile_part *part = &p->part;

	if (part->kind != TOPPROFILE_SAMPLES) {
		topprofile_flush(p);
		*part = (struct topprofile_part){ .kind = TOPPROFILE_SAMPLES,
						  .begin = time,
						  .end = time };
	}
	if (p->window.open.n > 0 &&
	    (time < part->begin || time - part->begin >= SECOND))
		end_samples(p);
	if (time < part->begin)
		part->begin = part->end = time;
	if (time > part->end)
		part->end = time;
	part->tallies.samples++;
}

static void
add_stack(struct topprofile *p, struct stack *stack, const struct stream *s)
{
	struct topprofile_part *part = &p->part;
	const struct count *c = &s->f.count[s->f.counts == 2];

	stack_split(stack, p->names, s->f.stack);
	if (s->is_sample)
		add_time(p, s->time);
	measure_add(&p->evidence, *c);
	part->weight += count_double(*c);
	window_slice_add(&p->window.open,
			 trie_add(&p->trie, stack->id, stack->n), *c);
	if (part->kind == TOPPROFILE_PLAIN && p->window.open.n >= MAX_OPEN)
		commit(p);
}

/* Another profile or the end follows: drop an incomplete snapshot. */
static void
end_profile(struct topprofile *p)
{
	topprofile_flush(p);
	if (p->window.open.n > 0) {
		window_drop(&p->window);
		p->cut_off = true;
	}
}

/* Keep a key of the first profile; returns false if this one differs. */
static bool
keep(struct topprofile *p, const struct stream *s, const char *key)
{
	const struct str value = meta_get(&s->f.header, key);

	if (value.len > 0 && !meta_has(&p->meta, key))
		meta_set_raw(&p->meta, key, value);
	return value.len == 0 || str_eq(value, meta_get(&p->meta, key));
}

/* The unit must not change. */
static void
check_unit(struct topprofile *p, const struct stream *s, const struct input *in)
{
	const struct str unit = meta_get(&s->f.header, "unit"),
			 old = meta_get(&p->meta, "unit");

	if (!keep(p, s, "unit"))
		errx(2, "%s:%" PRIu64 ": counts in %.*s, but in %.*s before",
		     in->name, in->line, (int)unit.len, unit.p, (int)old.len,
		     old.p);
	if (!keep(p, s, "clock"))
		meta_unset(&p->meta, "clock");
	if (!keep(p, s, "event"))
		meta_unset(&p->meta, "event");
	if (!keep(p, s, "quantum"))
		meta_unset(&p->meta, "quantum");
}

static void
begin_profile(struct topprofile *p, const struct stream *s,
	      const struct input *in)
{
	struct topprofile_part *part = &p->part;

	end_profile(p);
	check_unit(p, s, in);
	*part = (struct topprofile_part){ .supersedes = s->supersedes,
					  .quantum = stream_number(s,
								   "quantum"),
					  .tallies = stream_tallies(s) };
	if (s->kind == STREAM_SNAPSHOT) {
		part->kind = TOPPROFILE_SNAPSHOT;
		part->begin = s->begin;
		part->end = s->end;
	}
	p->hz = stream_number(s, "hz");
	p->comm.len = 0;
	meta_decode(&p->comm, meta_get(&s->f.header, "comm"));
	if (!meta_u64(&s->f.header, "pid", &p->pid))
		p->pid = 0;
}

static void
end_snapshot(struct topprofile *p)
{
	struct topprofile_part *part = &p->part;

	if (part->kind != TOPPROFILE_SNAPSHOT)
		return;
	commit(p);
	p->had_snapshot = true;
	if (p->ended != NULL)
		p->ended(p->arg);
	*part = (struct topprofile_part){ 0 };
}

void
topprofile_read(struct topprofile *p, struct input *in)
{
	struct stream s = { .f.counts = p->counts };
	struct stack stack = { 0 };
	enum stream_event event;

	p->part = (struct topprofile_part){ 0 };
	p->had_snapshot = false;
	while ((event = stream_next(&s, in)) != STREAM_NOTHING) {
		if (event == STREAM_STACK)
			add_stack(p, &stack, &s);
		else if (event == STREAM_HEADER)
			begin_profile(p, &s, in);
		else
			end_snapshot(p);
	}
	end_profile(p);
	stack_free(&stack);
	stream_free(&s);
}

/* Find out in what a total is counted. */
static void
measure(const struct topprofile *p, struct window_total t, struct measure *m)
{
	struct measure_evidence evidence = p->evidence;

	evidence.total = t.weight;
	measure_init(m, &p->meta, &evidence);
	if (t.tallies.samples > 0)
		m->samples = t.tallies.samples;
}

double
topprofile_samples(const struct topprofile *p, struct window_total t)
{
	struct measure m;
	double samples;

	measure(p, t, &m);
	samples = m.samples > 0 ? m.samples : t.weight;
	measure_free(&m);
	return samples;
}

void
topprofile_describe(const struct topprofile *p, struct window_total t,
		    struct buf *out)
{
	struct measure m;

	measure(p, t, &m);
	measure_describe(&m, out, t.weight);
	measure_free(&m);
}
