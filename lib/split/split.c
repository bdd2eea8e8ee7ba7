/* split.c - splits a sample stream by the calls in which samples were taken. */
#include "split/split.h"

#include "base/mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* The median of samples per call that percentiles need. */
#define MIN_SAMPLES 10

static void
add_counts(struct split *s, uint32_t part, const struct stack_counts *counts)
{
	if (s->mode != SPLIT_MODE_COUNT)
		partition_add_counts(&s->parts, part, counts);
}

/* Whether the frame is on the first stack of a thread. */
static bool
starts_in_call(struct split *s, const struct stack_counts *counts)
{
	return s->opt.frame != NULL && counts->n > 0 &&
	       stack_flags_of(&s->flags, s->samples.stacks,
			      counts->item->stack) &
		   STACK_FLAG_FRAME;
}

static void
add_outside_counts(void *arg, const struct stack_counts *counts)
{
	struct split *s = arg;
	bool before = starts_in_call(s, counts);

	s->ended[CALL_BEFORE] += before;
	add_counts(s, before ? SPLIT_UNFINISHED : SPLIT_OUTSIDE, counts);
}

/* Add a call to a part. */
static void
add_to_part(struct split *s, uint64_t ns, uint32_t part,
	    const struct stack_counts *counts)
{
	partition_add_counts(&s->parts, part, counts);
	s->parts.part[part].calls++;
	s->parts.part[part].ns += (double)ns;
}

/* The part of the calls in the latency bucket of ns. */
static uint32_t
bucket_part_of(struct split *s, uint64_t ns)
{
	uint32_t *part = &s->bucket_part[latency_bucket(ns)];

	if (*part == 0)
		*part = partition_new(&s->parts, STR(""));
	return *part;
}

/* The part of a call if the longest calls are split off. */
static uint32_t
longest_part(struct split *s, uint64_t ns)
{
	uint64_t threshold = s->opt.threshold->ns;

	if (ns < threshold || (ns == threshold && s->ties == 0))
		return SPLIT_BANDS;
	s->ties -= ns == threshold;
	return s->opt.join_longest ? SPLIT_BANDS + 1 :
				     partition_new(&s->parts, STR(""));
}

/* The part of a call by its latency. */
static uint32_t
part_of(struct split *s, uint64_t ns)
{
	size_t i;

	if (s->opt.longest > 0)
		return longest_part(s, ns);
	for (i = 0; i < s->opt.nthresholds && ns > s->opt.threshold[i].ns; i++)
		continue;
	return (uint32_t)(SPLIT_BANDS + i);
}

bool
split_has_calls(const struct split *s)
{
	return s->roles.entry != NULL || s->opt.frame != NULL;
}

bool
split_lists(const struct split *s, uint32_t part)
{
	switch (s->opt.list) {
	case SPLIT_LIST_SLOW:
		return part >= SPLIT_BANDS + s->opt.nthresholds;
	case SPLIT_LIST_FAST:
		return part == SPLIT_BANDS;
	case SPLIT_LIST_ALL:
		return true;
	case SPLIT_LIST_NONE:
		break;
	}
	return part > SPLIT_BANDS + s->opt.nthresholds;
}

/* Add a call to its part; the thresholds are known. */
static void
assign(struct split *s, const struct timed_call *call, uint64_t ns)
{
	uint32_t part = s->opt.by.key == SPLITBY_ARG ?
			    splitby_args(&s->opt.by, &s->parts,
					 buf_slice(&call->args)) :
			    part_of(s, ns);

	add_to_part(s, ns, part, &call->counts);
	if (split_lists(s, part))
		call_backlog_add(&s->backlog, call, false)->part = part;
}

/* The backlog takes too much memory: read again, or use latency buckets. */
static void
leave_backlog(struct split *s)
{
	struct stack_counts counts;
	struct backlog_call *call;
	size_t i, at = 0;

	if (s->opt.can_reread) {
		s->mode = SPLIT_MODE_COUNT;
	} else if (s->opt.longest > 0 || s->opt.list != SPLIT_LIST_NONE) {
		errx(2, "the calls do not fit in memory: read a file, or give "
			"a threshold as --above 5ms");
	} else {
		s->mode = SPLIT_MODE_BUCKETS;
		latency_use_buckets(&s->latency);
		for (i = 0; i < s->backlog.n; i++) {
			call = &s->backlog.call[i];
			counts = call_backlog_counts(&s->backlog, call, &at);
			add_to_part(s, call->ns, bucket_part_of(s, call->ns),
				    &counts);
		}
	}
	call_backlog_free(&s->backlog);
}

static void
add_returned(struct split *s, const struct timed_call *call)
{
	uint64_t ns = call->end - call->begin;

	if (!s->second_pass) {
		latency_add(&s->latency, ns);
		if (s->opt.frame != NULL)
			latency_add(&s->samples_per_call, call->counts.samples);
	}
	if (s->mode == SPLIT_MODE_ASSIGN) {
		assign(s, call, ns);
	} else if (s->mode == SPLIT_MODE_BUCKETS) {
		add_to_part(s, ns, bucket_part_of(s, ns), &call->counts);
	} else if (s->mode == SPLIT_MODE_BACKLOG) {
		call_backlog_add(&s->backlog, call, true);
		if (call_backlog_memory(&s->backlog) > s->opt.backlog_memory)
			leave_backlog(s);
	}
}

static void
add_call(void *arg, const struct timed_call *call, enum call_end how)
{
	struct split *s = arg;

	s->ended[how]++;
	if (how == CALL_RETURNED)
		add_returned(s, call);
	else
		add_counts(s, SPLIT_UNFINISHED, &call->counts);
}

static void
add_outside(struct split *s, uint32_t stack, struct count count)
{
	if (s->mode == SPLIT_MODE_COUNT)
		return;
	partition_add(&s->parts, SPLIT_OUTSIDE, stack, count);
	s->parts.part[SPLIT_OUTSIDE].samples++;
}

/*
 * Cut a wait at the start of the call: the time before is outside.  Record the
 * longest wait.
 */
static struct count
clip_wait(struct split *s, struct timed_call *call,
	  const struct sample_line *sample)
{
	struct count count = sample->count;
	uint64_t most = sample->time - call->begin;

	if (call->begin > 0 && sample->time >= call->begin &&
	    count.units > most) {
		count.units -= most;
		add_outside(s, sample->stack, count);
		count = count_of(most);
	}
	if (count.units > call->longest_wait) {
		call->longest_wait = count.units;
		call->wait_stack = sample->stack;
	}
	return count;
}

static void
add_sample(struct split *s, const struct sample_line *sample)
{
	struct timed_call *call = calls_of(&s->calls, sample->origin);
	struct count count = sample->count;

	if (call == NULL) {
		add_outside(s, sample->stack, count);
		return;
	}
	if (s->roles.is_ns &&
	    stack_flags_of(&s->flags, s->samples.stacks, sample->stack) &
		STACK_FLAG_WAITS)
		count = clip_wait(s, call, sample);
	calls_sampled(&s->calls, call, sample->stack);
	stack_counts_add(&call->counts, sample->stack, count);
	call->last_sample = sample->time;
}

/*
 * A call begins when the frame appears and ends when it disappears.  If the
 * frame is on the first stack of a thread, the start is unknown.
 */
static void
follow_frame(struct split *s, const struct sample_line *sample)
{
	bool inside = calls_is_inside(&s->calls, sample->origin);
	struct timed_call *call = calls_of(&s->calls, sample->origin);
	bool first = call != NULL && !inside && call->counts.n == 0;
	struct sample_line at = *sample;

	if (call != NULL && !inside)
		inside = starts_in_call(s, &call->counts);
	if (stack_flags_of(&s->flags, s->samples.stacks, sample->stack) &
	    STACK_FLAG_FRAME) {
		if (inside || first)
			return;
		if (s->roles.is_ns && at.count.units <= at.time)
			at.time -= at.count.units;
		calls_enter(&s->calls, &at);
	} else if (inside) {
		at.time = call->last_sample;
		calls_return(&s->calls, &at);
	}
}

/* Add a sample; the stream is not split by calls. */
static void
add_without_call(struct split *s, const struct sample_line *sample)
{
	uint32_t part = splitby_sample(&s->opt.by, &s->parts, &s->samples,
				       sample);

	partition_add(&s->parts, part, sample->stack, sample->count);
	s->parts.part[part].samples++;
}

static void
add_line(struct split *s, const struct sample_line *sample)
{
	enum event_role role = event_role_of(&s->roles, &s->samples, sample);

	if (sample->origin->lost > 0) {
		s->lost += sample->origin->lost;
		calls_lost(&s->calls);
	}
	if (role == EVENT_ROLE_ENTRY)
		calls_enter(&s->calls, sample);
	else if (role == EVENT_ROLE_RETURN)
		calls_return(&s->calls, sample);
	if (role != EVENT_ROLE_SAMPLE)
		return;
	if (!split_has_calls(s)) {
		add_without_call(s, sample);
		return;
	}
	if (s->opt.frame != NULL)
		follow_frame(s, sample);
	add_sample(s, sample);
}

void
split_read(struct split *s, struct input *in)
{
	struct sample_line sample;

	samples_begin(&s->samples, in);
	s->calls.stacks = s->samples.stacks;
	while (samples_next(&s->samples, &sample))
		add_line(s, &sample);
	calls_end(&s->calls);
}

static void
begin_pass(struct split *s)
{
	size_t i;

	call_backlog_free(&s->backlog);
	s->backlog.detailed = s->opt.list != SPLIT_LIST_NONE ||
			      s->opt.longest > 0;
	partition_free(&s->parts);
	partition_new(&s->parts, STR("outside"));
	partition_new(&s->parts, STR("unfinished"));
	for (i = 0; i <= s->opt.nthresholds; i++)
		partition_new(&s->parts, STR(""));
	memset(s->ended, 0, sizeof(s->ended));
	s->lost = s->calls.nested = s->calls.stray = s->calls.out_of_order = 0;
}

static bool
knows_thresholds(const struct split *s)
{
	size_t i;

	for (i = 0; i < s->opt.nthresholds; i++) {
		if (!latency_threshold_is_known(&s->opt.threshold[i]))
			return false;
	}
	return true;
}

void
split_begin(struct split *s)
{
	s->flags.frame = s->opt.frame;
	s->calls.flat = s->opt.flat;
	s->calls.ended = add_call;
	s->calls.outside = add_outside_counts;
	s->calls.arg = s;
	s->mode = knows_thresholds(s) ? SPLIT_MODE_ASSIGN : SPLIT_MODE_BACKLOG;
	s->bucket_part = mem_zero(LATENCY_BUCKETS, sizeof(*s->bucket_part));
	begin_pass(s);
}

/* Calls seem longer the more samples hit them, and short calls are missed. */
static void
check_samples_per_call(struct split *s)
{
	uint64_t median;

	if (s->samples_per_call.n == 0 || knows_thresholds(s))
		return;
	median = latency_percentile(&s->samples_per_call, 50);
	if (median < MIN_SAMPLES)
		errx(2,
		     "half of the calls have at most %" PRIu64
		     " samples, too few for percentiles: give a threshold as "
		     "--above 5ms, or sample more often",
		     median);
}

static int
by_ns(const void *a, const void *b)
{
	const struct latency_threshold *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static void
find_thresholds(struct split *s)
{
	size_t i;

	for (i = 0; i < s->opt.nthresholds; i++)
		latency_threshold_find(&s->opt.threshold[i], &s->latency);
	if (s->opt.nthresholds > 0)
		qsort(s->opt.threshold, s->opt.nthresholds,
		      sizeof(*s->opt.threshold), by_ns);
	/* The threshold is the next call's latency; ties do not exceed it. */
	if (s->opt.longest > 0)
		s->ties = s->opt.longest - latency_between(&s->latency,
							   s->opt.threshold->ns,
							   UINT64_MAX);
}

static void
assign_backlog(struct split *s)
{
	struct stack_counts counts;
	struct backlog_call *call;
	size_t i, at = 0;

	for (i = 0; i < s->backlog.n; i++) {
		call = &s->backlog.call[i];
		counts = call_backlog_counts(&s->backlog, call, &at);
		call->part = part_of(s, call->ns);
		add_to_part(s, call->ns, call->part, &counts);
	}
}

static void
join_buckets(struct split *s)
{
	uint64_t end;
	unsigned i;

	for (i = 0; i < LATENCY_BUCKETS; i++) {
		end = latency_bucket_end(i);
		if (end > s->latency.max)
			end = s->latency.max;
		if (s->bucket_part[i] > 0)
			partition_join(&s->parts, s->bucket_part[i],
				       part_of(s, end));
	}
}

bool
split_end(struct split *s)
{
	if (s->second_pass)
		return false;
	event_role_check(&s->roles, &s->samples);
	if (s->opt.by.key == SPLITBY_TIME && s->samples.mixes_clocks)
		errx(2, "--by time needs times of one clock");
	check_samples_per_call(s);
	find_thresholds(s);
	if (s->mode == SPLIT_MODE_BACKLOG)
		assign_backlog(s);
	else if (s->mode == SPLIT_MODE_BUCKETS)
		join_buckets(s);
	s->second_pass = s->mode == SPLIT_MODE_COUNT;
	if (!s->second_pass)
		return false;
	s->mode = SPLIT_MODE_ASSIGN;
	begin_pass(s);
	return true;
}

void
split_free(struct split *s)
{
	samples_free(&s->samples);
	calls_free(&s->calls);
	latency_free(&s->latency);
	latency_free(&s->samples_per_call);
	partition_free(&s->parts);
	call_backlog_free(&s->backlog);
	event_role_free(&s->roles);
	stack_flags_free(&s->flags);
	free(s->bucket_part);
}
