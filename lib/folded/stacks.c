/* stacks.c - read the stacks of folded profiles and streams. */
#include "folded/stacks.h"

#include "base/mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * The frames of this many lines are looked up together.  The names of a large
 * profile are not in the caches, so each step prefetches what the next step
 * needs while it works on the other lines.
 */
#define BATCH 16

struct stacks_line {
	struct stack stack;
	struct count count[2];
	uint64_t number; /* line number in the input */
	struct stacks_seen seen;
};

static void
add_stack(struct stacks *s, const struct input *in, const uint32_t *id,
	  size_t n, const struct count *count, uint64_t number)
{
	if (!s->add(s, id, n, count))
		errx(2, "%s:%" PRIu64 ": the sum exceeds 64 bits", in->name,
		     number);
}

/* Look up the frames of a batch, and add the stacks or buffer them. */
static void
finish_batch(struct stacks *s, const struct input *in)
{
	struct stacks_line *line = s->line, last;
	size_t i;

	if (s->n == 0)
		return;
	for (i = 1; i <= s->n; i++)
		stack_prefetch(&line[i].stack, s->names);
	for (i = 1; i <= s->n; i++) {
		stack_end(&line[i].stack, &line[i - 1].stack, s->names);
		s->seen = line[i].seen;
		if (s->buffers)
			snapshot_buffer_add(&s->snapshot, &line[i].stack,
					    line[i].count);
		else
			add_stack(s, in, line[i].stack.id, line[i].stack.n,
				  line[i].count, line[i].number);
	}
	/* The next stack shares frames with the last one: keep it. */
	last = line[s->n];
	line[s->n] = line[0];
	line[0] = last;
	s->n = 0;
	if (s->batch_done != NULL && !s->buffers && s->batch_done(s))
		stack_forget(&line[0].stack);
}

static bool
is_snapshot(const struct folded *f)
{
	return meta_has(&f->header, "time") && meta_has(&f->header, "dur");
}

/* A number in the sample's own metadata or in the header; -1 if neither. */
static int64_t
meta_number(const struct folded *f, const char *key)
{
	uint64_t n;

	if ((meta_u64(&f->own, key, &n) || meta_u64(&f->header, key, &n)) &&
	    n <= INT64_MAX)
		return (int64_t)n;
	return -1;
}

static struct stacks_seen
read_seen(const struct folded *f)
{
	struct stacks_seen seen = { .pid = -1, .tid = -1 };

	seen.is_sample = meta_ns(&f->own, "time", &seen.time);
	if (seen.is_sample) {
		seen.pid = meta_number(f, "pid");
		seen.tid = meta_number(f, "tid");
	} else if (is_snapshot(f)) {
		meta_ns(&f->header, "time", &seen.time);
	}
	return seen;
}

/* Times of different clocks cannot be compared. */
static void
check_clock(struct stacks *s, const struct input *in, const struct folded *f)
{
	const struct str clock = meta_get(&f->header, "clock");

	s->checked_clock = true;
	if (s->clock.len == 0)
		buf_str(&s->clock, clock);
	else if (clock.len == 0 || str_eq(clock, buf_slice(&s->clock)))
		return;
	else if (s->any_clock)
		s->mixes_clocks = true;
	else
		errx(2, "%s:%" PRIu64 ": the clock is %.*s, but %.*s before",
		     in->name, in->line, (int)clock.len, clock.p,
		     (int)s->clock.len, s->clock.p);
}

/* Pass the stacks before the last line that was read to add(). */
static void
read_again(struct stacks *s, const struct input *in)
{
	struct folded f = { .counts = s->counts_option };
	struct tally tally = { 0 };
	struct stack stack = { 0 };
	enum folded_kind kind = FOLDED_BLANK;
	struct input part;

	s->add_text = NULL;
	if (!input_part(&part, in, 0, in->size, &tally))
		errx(2, "%s: cannot be read again", in->name);
	while (kind != FOLDED_END &&
	       (kind = folded_read(&f, &part), part.line < in->line)) {
		if (kind != FOLDED_STACK)
			continue;
		stack_split(&stack, s->names, f.stack);
		add_stack(s, in, stack.id, stack.n, f.count, part.line);
	}
	if (part.line != in->line)
		errx(2, "%s: was truncated while it was read", in->name);
	folded_free(&f);
	stack_free(&stack);
	input_close(&part);
	buf_free(&tally.first);
}

/* Pass a stack to add_text(); false once it does not accept stacks. */
static bool
add_text(struct stacks *s, const struct input *in, const struct folded *f)
{
	if (s->add_text == NULL)
		return false;
	if (!s->buffers && s->add_text(s, f->stack, f->count)) {
		meta_merge_stack(&s->merge, &f->own, f->count[0]);
		return true;
	}
	read_again(s, in);
	return false;
}

static void
add_line(struct stacks *s, const struct input *in, const struct folded *f)
{
	struct stacks_line *line;

	if (s->counts == 0) {
		s->counts = f->counts;
		s->line = mem_zero(BATCH + 1, sizeof(*s->line));
		s->begin(s);
	}
	if (f->counts != s->counts)
		errx(2, "%s:%" PRIu64 ": %d counts per line, but %d before",
		     in->name, in->line, f->counts, s->counts);
	if (s->accepts != NULL && !s->accepts(s, f))
		return;
	if (add_text(s, in, f))
		return;
	line = &s->line[++s->n];
	stack_begin(&line->stack, &line[-1].stack, s->names, f->stack);
	memcpy(line->count, f->count, sizeof(line->count));
	line->number = in->line;
	if (s->timed) {
		line->seen = read_seen(f);
		if (line->seen.time > 0 && !s->checked_clock)
			check_clock(s, in, f);
	}
	meta_merge_stack(&s->merge, &f->own, f->count[0]);
	if (s->n == BATCH)
		finish_batch(s, in);
}

/* Add the stacks of a snapshot that is complete. */
static void
add_snapshot(struct stacks *s, const struct input *in)
{
	struct snapshot_buffer_stack stack;

	while (snapshot_buffer_next(&s->snapshot, &stack))
		add_stack(s, in, stack.id, stack.n, stack.count, in->line);
	s->buffers = false;
}

static void
begin_profile(struct stacks *s, const struct folded *f)
{
	const struct str kind = meta_get(&f->header, "kind");

	meta_merge_begin(&s->merge, &f->header);
	s->checked_clock = false;
	s->supersedes = s->restart != NULL && is_snapshot(f) && kind.len > 0 &&
			!str_eq(kind, STR("delta"));
	if (s->supersedes)
		meta_unset(&s->merge.one, "kind");
	/* A snapshot after the first may be cut off after any line. */
	s->buffers = s->had_snapshot && is_snapshot(f);
}

static void
end_profile(struct stacks *s, const struct input *in)
{
	const char *reason;

	add_snapshot(s, in);
	reason = meta_merge_end(&s->merge);
	if (reason != NULL)
		errx(2, "%s:%" PRIu64 ": this profile cannot be merged: %s",
		     in->name, in->line, reason);
}

static void
end_snapshot(struct stacks *s, const struct input *in, const struct folded *f)
{
	if (!is_snapshot(f))
		return;
	finish_batch(s, in);
	if (s->supersedes) {
		/* The first snapshot was not buffered and replaces nothing. */
		if (s->had_snapshot && s->counts > 0)
			s->restart(s);
		meta_merge_restart(&s->merge);
	}
	add_snapshot(s, in);
	s->had_snapshot = true;
	if (s->snapshot_ended == NULL || s->counts == 0)
		return;
	end_profile(s, in);
	meta_merge_begin(&s->merge, NULL);
	if (s->snapshot_ended(s))
		stack_forget(&s->line[0].stack);
}

/* Discard a snapshot that is incomplete at the end of the input. */
static void
drop_snapshot(struct stacks *s, const struct input *in)
{
	snapshot_buffer_clear(&s->snapshot);
	s->buffers = false;
	meta_merge_drop(&s->merge);
	s->cut_off(s, in);
}

static void
read_meta(struct stacks *s, const struct input *in, const struct folded *f)
{
	if (s->meta != NULL)
		s->meta(s, f->is_header ? &f->header : &f->own);
	if (!f->is_header)
		return;
	finish_batch(s, in);
	end_profile(s, in);
	begin_profile(s, f);
}

void
stacks_read(struct stacks *s, struct input *in)
{
	struct folded f = { .counts = s->counts_option };
	enum folded_kind kind;

	s->had_snapshot = s->checked_clock = false;
	if (!input_can_repeat(in))
		s->add_text = NULL;
	meta_merge_begin(&s->merge, NULL);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK)
			add_line(s, in, &f);
		else if (kind == FOLDED_META)
			read_meta(s, in, &f);
		else if (kind == FOLDED_BLANK)
			end_snapshot(s, in, &f);
	}
	finish_batch(s, in);
	if (s->buffers)
		drop_snapshot(s, in);
	else
		end_profile(s, in);
	folded_free(&f);
}

void
stacks_free(struct stacks *s)
{
	size_t i;

	for (i = 0; s->line != NULL && i <= BATCH; i++)
		stack_free(&s->line[i].stack);
	free(s->line);
	meta_merge_free(&s->merge);
	snapshot_buffer_free(&s->snapshot);
	buf_free(&s->clock);
	s->line = NULL;
}
