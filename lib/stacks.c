/* stacks.c - the stacks of folded profiles, read one after another. */
#include "stacks.h"

#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * Lines are gathered, and their frames looked up together: the names of a
 * large profile are not in the caches, and so each step has what it needs
 * brought from memory while it works on the other lines.
 */
#define GATHERED 16

struct stacks_line {
	struct stack stack;
	struct count count[2];
	uint64_t number; /* in its input */
	struct stacks_seen seen;
};

static void
deliver(struct stacks *s, const struct input *in, const uint32_t *id, size_t n,
	const struct count *count, uint64_t number)
{
	if (!s->add(s, id, n, count))
		errx(2, "%s:%" PRIu64 ": the sum exceeds 64 bits", in->name,
		     number);
}

/* Look up the frames of the gathered lines, and hand them on. */
static void
hand_on(struct stacks *s, const struct input *in)
{
	struct stacks_line *line = s->line, last;
	size_t i;

	if (s->n == 0)
		return;
	for (i = 1; i <= s->n; i++)
		stack_seek(&line[i].stack, s->names);
	for (i = 1; i <= s->n; i++) {
		stack_end(&line[i].stack, &line[i - 1].stack, s->names);
		s->seen = line[i].seen;
		if (s->holds)
			held_add(&s->held, &line[i].stack, line[i].count);
		else
			deliver(s, in, line[i].stack.id, line[i].stack.n,
				line[i].count, line[i].number);
	}
	/* The last one is what the next is compared to. */
	last = line[s->n];
	line[s->n] = line[0];
	line[0] = last;
	s->n = 0;
	if (s->rest != NULL && !s->holds && s->rest(s))
		stack_forget(&line[0].stack);
}

static bool
is_snapshot(const struct folded *f)
{
	return meta_has(&f->header, "time") && meta_has(&f->header, "dur");
}

/* A number that a sample says, or its header for all; -1 if neither does. */
static int64_t
number_of(const struct folded *f, const char *key)
{
	uint64_t n;

	if ((meta_u64(&f->own, key, &n) || meta_u64(&f->header, key, &n)) &&
	    n <= INT64_MAX)
		return (int64_t)n;
	return -1;
}

static struct stacks_seen
seen_of(const struct folded *f)
{
	struct stacks_seen seen = { .pid = -1, .tid = -1 };

	seen.sample = meta_ns(&f->own, "time", &seen.time);
	if (seen.sample) {
		seen.pid = number_of(f, "pid");
		seen.tid = number_of(f, "tid");
	} else if (is_snapshot(f)) {
		meta_ns(&f->header, "time", &seen.time);
	}
	return seen;
}

/* Times are not joined with those of another clock. */
static void
check_clock(struct stacks *s, const struct input *in, const struct folded *f)
{
	const struct str clock = meta_get(&f->header, "clock");

	s->knows_clock = true;
	if (s->clock.len == 0)
		buf_str(&s->clock, clock);
	else if (clock.len > 0 && !str_eq(clock, buf_slice(&s->clock)))
		errx(2,
		     "%s:%" PRIu64 ": a time of the clock %.*s, before it of "
		     "%.*s",
		     in->name, in->line, (int)clock.len, clock.p,
		     (int)s->clock.len, s->clock.p);
}

static void
add_line(struct stacks *s, const struct input *in, const struct folded *f)
{
	struct stacks_line *line;

	if (s->counts == 0) {
		s->counts = f->counts;
		s->line = mem_zero(GATHERED + 1, sizeof(*s->line));
		s->begin(s);
	}
	if (f->counts != s->counts)
		errx(2, "%s:%" PRIu64 ": %d counts a line, before it was %d",
		     in->name, in->line, f->counts, s->counts);
	if (s->wants != NULL && !s->wants(s, f))
		return;
	line = &s->line[++s->n];
	stack_begin(&line->stack, &line[-1].stack, s->names, f->stack);
	memcpy(line->count, f->count, sizeof(line->count));
	line->number = in->line;
	if (s->timed) {
		line->seen = seen_of(f);
		if (line->seen.time > 0 && !s->knows_clock)
			check_clock(s, in, f);
	}
	merge_stack(&s->merge, &f->own, f->count[0]);
	if (s->n == GATHERED)
		hand_on(s, in);
}

/* Count what was held. */
static void
release(struct stacks *s, const struct input *in)
{
	struct held_stack h;

	while (held_take(&s->held, &h))
		deliver(s, in, h.id, h.n, h.count, in->line);
	s->holds = false;
}

static void
begin_profile(struct stacks *s, const struct folded *f)
{
	const struct str kind = meta_get(&f->header, "kind");

	merge_begin(&s->merge, &f->header);
	s->knows_clock = false;
	s->supersedes = s->restart != NULL && is_snapshot(f) && kind.len > 0 &&
			!str_eq(kind, STR("delta"));
	if (s->supersedes)
		meta_unset(&s->merge.one, "kind");
	/* A stream may have been cut off behind any line. */
	s->holds = s->had_snapshot && is_snapshot(f);
}

static void
end_profile(struct stacks *s, const struct input *in)
{
	const char *reason;

	release(s, in);
	reason = merge_end(&s->merge);
	if (reason != NULL)
		errx(2, "%s:%" PRIu64 ": this profile cannot be merged: %s",
		     in->name, in->line, reason);
}

static void
end_snapshot(struct stacks *s, const struct input *in, const struct folded *f)
{
	if (!is_snapshot(f))
		return;
	hand_on(s, in);
	if (s->supersedes) {
		/* The first one was not held: there was nothing before. */
		if (s->had_snapshot && s->counts > 0)
			s->restart(s);
		merge_restart(&s->merge);
	}
	release(s, in);
	s->had_snapshot = true;
	if (s->ended == NULL || s->counts == 0)
		return;
	end_profile(s, in);
	merge_begin(&s->merge, NULL);
	if (s->ended(s))
		stack_forget(&s->line[0].stack);
}

/* Forget the snapshot that was not whole when the input ended. */
static void
drop_snapshot(struct stacks *s, const struct input *in)
{
	held_drop(&s->held);
	s->holds = false;
	merge_drop(&s->merge);
	s->cut_off(s, in);
}

static void
take_meta(struct stacks *s, const struct input *in, const struct folded *f)
{
	if (s->see != NULL)
		s->see(s, f->is_header ? &f->header : &f->own);
	if (!f->is_header)
		return;
	hand_on(s, in);
	end_profile(s, in);
	begin_profile(s, f);
}

void
stacks_read(struct stacks *s, struct input *in)
{
	struct folded f = { .counts = s->asked };
	enum folded_kind kind;

	s->had_snapshot = s->knows_clock = false;
	merge_begin(&s->merge, NULL);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			add_line(s, in, &f);
		else if (kind == FOLDED_META)
			take_meta(s, in, &f);
		else if (kind == FOLDED_BLANK)
			end_snapshot(s, in, &f);
	}
	hand_on(s, in);
	if (s->holds)
		drop_snapshot(s, in);
	else
		end_profile(s, in);
	folded_free(&f);
}

void
stacks_free(struct stacks *s)
{
	size_t i;

	for (i = 0; s->line != NULL && i <= GATHERED; i++)
		stack_free(&s->line[i].stack);
	free(s->line);
	merge_free(&s->merge);
	held_free(&s->held);
	buf_free(&s->clock);
	s->line = NULL;
}
