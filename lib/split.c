/* split.c - a stream of samples, set apart by the calls they were taken in. */
#include "split.h"

#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Samples that half of the runs of a frame have at least. */
#define MIN_HITS 10

/* Calls. */

static void
add_cells(struct split *s, uint32_t part, const struct cells *cells)
{
	if (s->mode != SPLIT_COUNTS)
		parts_add_cells(&s->parts, part, cells);
}

/* Whether a thread has been in a run of the frame since it was first seen. */
static bool
began_before(struct split *s, const struct cells *cells)
{
	return s->opt.frame != NULL && cells->n > 0 &&
	       marks_of(&s->marks, s->samples.stacks, cells->cell->stack) &
		   MARK_FRAME;
}

static void
take_outside(void *arg, const struct cells *cells)
{
	struct split *s = arg;
	bool before = began_before(s, cells);

	s->ended[CALL_BEFORE] += before;
	add_cells(s, before ? SPLIT_UNFINISHED : SPLIT_OUTSIDE, cells);
}

/* Add a call to the part that it belongs to. */
static void
settle(struct split *s, uint64_t ns, uint32_t part, const struct cells *cells)
{
	parts_add_cells(&s->parts, part, cells);
	s->parts.part[part].calls++;
	s->parts.part[part].ns += (double)ns;
}

/* The part of calls that took about as long. */
static uint32_t
blurred_part(struct split *s, uint64_t ns)
{
	uint32_t *part = &s->bucket_part[latency_bucket(ns)];

	if (*part == 0)
		*part = parts_new(&s->parts, STR(""));
	return *part;
}

/* The part of a call where some of the longest are set apart. */
static uint32_t
longest_part(struct split *s, uint64_t ns)
{
	uint64_t bound = s->opt.bound->ns;

	if (ns < bound || (ns == bound && s->ties == 0))
		return SPLIT_BANDS;
	s->ties -= ns == bound;
	return s->opt.together ? SPLIT_BANDS + 1 :
				 parts_new(&s->parts, STR(""));
}

static uint32_t
part_of(struct split *s, uint64_t ns)
{
	size_t i;

	if (s->opt.longest > 0)
		return longest_part(s, ns);
	for (i = 0; i < s->opt.nbounds && ns > s->opt.bound[i].ns; i++)
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
		return part >= SPLIT_BANDS + s->opt.nbounds;
	case SPLIT_LIST_FAST:
		return part == SPLIT_BANDS;
	case SPLIT_LIST_ALL:
		return true;
	case SPLIT_LIST_NONE:
		break;
	}
	return part > SPLIT_BANDS + s->opt.nbounds;
}

/* A call comes when the bounds are known. */
static void
place(struct split *s, const struct call *c, uint64_t ns)
{
	uint32_t part = s->opt.by.what == SPLITBY_ARG ?
			    splitby_args(&s->opt.by, &s->parts,
					 buf_slice(&c->args)) :
			    part_of(s, ns);

	settle(s, ns, part, &c->cells);
	if (split_lists(s, part))
		keep_add(&s->keep, c, false)->part = part;
}

/* The calls that wait take too much memory. */
static void
make_room(struct split *s)
{
	struct cells cells;
	struct kept *c;
	size_t i, at = 0;

	if (s->opt.rereads) {
		s->mode = SPLIT_COUNTS;
	} else if (s->opt.longest > 0 || s->opt.list != SPLIT_LIST_NONE) {
		errx(2, "the calls do not fit in memory: give a file, or a "
			"bound as --above 5ms");
	} else {
		s->mode = SPLIT_BLURS;
		latency_blur(&s->latency);
		for (i = 0; i < s->keep.n; i++) {
			c = &s->keep.call[i];
			cells = keep_cells(&s->keep, c, &at);
			settle(s, c->ns, blurred_part(s, c->ns), &cells);
		}
	}
	keep_free(&s->keep);
}

static void
take_returned(struct split *s, const struct call *c)
{
	uint64_t ns = c->end - c->begin;

	if (!s->again) {
		latency_add(&s->latency, ns);
		if (s->opt.frame != NULL)
			latency_add(&s->hits, c->cells.samples);
	}
	if (s->mode == SPLIT_KNOWS) {
		place(s, c, ns);
	} else if (s->mode == SPLIT_BLURS) {
		settle(s, ns, blurred_part(s, ns), &c->cells);
	} else if (s->mode == SPLIT_KEEPS) {
		keep_add(&s->keep, c, true);
		if (keep_memory(&s->keep) > s->opt.memory)
			make_room(s);
	}
}

static void
take_call(void *arg, const struct call *c, enum call_end how)
{
	struct split *s = arg;

	s->ended[how]++;
	if (how == CALL_RETURNED)
		take_returned(s, c);
	else
		add_cells(s, SPLIT_UNFINISHED, &c->cells);
}

/* Samples. */

static void
add_outside(struct split *s, uint32_t stack, struct count count)
{
	if (s->mode == SPLIT_COUNTS)
		return;
	parts_add(&s->parts, SPLIT_OUTSIDE, stack, count);
	s->parts.part[SPLIT_OUTSIDE].samples++;
}

/*
 * Take off a wait what was before the call, which is outside; note the longest.
 */
static struct count
clip(struct split *s, struct call *call, const struct sample_line *sample)
{
	struct count count = sample->count;
	uint64_t most = sample->time - call->begin;

	if (call->begin > 0 && sample->time >= call->begin &&
	    count.units > most) {
		count.units -= most;
		add_outside(s, sample->stack, count);
		count = count_of(most);
	}
	if (count.units > call->waited) {
		call->waited = count.units;
		call->wait = sample->stack;
	}
	return count;
}

static void
take_sample(struct split *s, const struct sample_line *sample)
{
	struct call *call = calls_of(&s->calls, sample->origin);
	struct count count = sample->count;

	if (call == NULL) {
		add_outside(s, sample->stack, count);
		return;
	}
	if (s->roles.is_ns &&
	    marks_of(&s->marks, s->samples.stacks, sample->stack) & MARK_WAITS)
		count = clip(s, call, sample);
	calls_sampled(&s->calls, call, sample->stack);
	cells_add(&call->cells, sample->stack, count);
	call->seen = sample->time;
}

/*
 * A call begins or ends as a frame comes or goes.  If the frame is there when
 * a thread is first seen, nobody knows since when.
 */
static void
follow_frame(struct split *s, const struct sample_line *sample)
{
	bool inside = calls_is_inside(&s->calls, sample->origin);
	struct call *call = calls_of(&s->calls, sample->origin);
	bool first = call != NULL && !inside && call->cells.n == 0;
	struct sample_line at = *sample;

	if (call != NULL && !inside)
		inside = began_before(s, &call->cells);
	if (marks_of(&s->marks, s->samples.stacks, sample->stack) &
	    MARK_FRAME) {
		if (inside || first)
			return;
		if (s->roles.is_ns && at.count.units <= at.time)
			at.time -= at.count.units;
		calls_enter(&s->calls, &at);
	} else if (inside) {
		at.time = call->seen;
		calls_return(&s->calls, &at);
	}
}

/* A sample of no call. */
static void
take_alone(struct split *s, const struct sample_line *sample)
{
	uint32_t part = splitby_sample(&s->opt.by, &s->parts, &s->samples,
				       sample);

	parts_add(&s->parts, part, sample->stack, sample->count);
	s->parts.part[part].samples++;
}

static void
take(struct split *s, const struct sample_line *sample)
{
	enum role role = role_of(&s->roles, &s->samples, sample);

	if (sample->origin->lost > 0) {
		s->lost += sample->origin->lost;
		calls_lost(&s->calls);
	}
	if (role == ROLE_ENTRY)
		calls_enter(&s->calls, sample);
	else if (role == ROLE_RETURN)
		calls_return(&s->calls, sample);
	if (role != ROLE_SAMPLE)
		return;
	if (!split_has_calls(s)) {
		take_alone(s, sample);
		return;
	}
	if (s->opt.frame != NULL)
		follow_frame(s, sample);
	take_sample(s, sample);
}

void
split_read(struct split *s, struct input *in)
{
	struct sample_line sample;

	samples_begin(&s->samples, in);
	s->calls.stacks = s->samples.stacks;
	while (samples_next(&s->samples, &sample))
		take(s, &sample);
	calls_end(&s->calls);
}

/* Begin and end. */

static void
begin_pass(struct split *s)
{
	size_t i;

	keep_free(&s->keep);
	s->keep.detailed = s->opt.list != SPLIT_LIST_NONE || s->opt.longest > 0;
	parts_free(&s->parts);
	parts_new(&s->parts, STR("outside"));
	parts_new(&s->parts, STR("unfinished"));
	for (i = 0; i <= s->opt.nbounds; i++)
		parts_new(&s->parts, STR(""));
	memset(s->ended, 0, sizeof(s->ended));
	s->lost = s->calls.nested = s->calls.stray = s->calls.disorder = 0;
}

static bool
knows_bounds(const struct split *s)
{
	size_t i;

	for (i = 0; i < s->opt.nbounds; i++) {
		if (!bound_is_known(&s->opt.bound[i]))
			return false;
	}
	return true;
}

void
split_begin(struct split *s)
{
	s->marks.frame = s->opt.frame;
	s->calls.flat = s->opt.flat;
	s->calls.ended = take_call;
	s->calls.outside = take_outside;
	s->calls.arg = s;
	s->mode = knows_bounds(s) ? SPLIT_KNOWS : SPLIT_KEEPS;
	s->bucket_part = mem_zero(LATENCY_BUCKETS, sizeof(*s->bucket_part));
	begin_pass(s);
}

/* Runs are longer the more samples hit them, and short ones are not seen. */
static void
check_hits(struct split *s)
{
	uint64_t median;

	if (s->hits.n == 0 || knows_bounds(s))
		return;
	median = latency_percentile(&s->hits, 50);
	if (median < MIN_HITS)
		errx(2,
		     "half of the calls have at most %" PRIu64 " samples, too "
		     "few to tell percentiles by: give a bound as --above 5ms, "
		     "or sample more often",
		     median);
}

static int
compare_bounds(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

static void
find_bounds(struct split *s)
{
	size_t i;

	for (i = 0; i < s->opt.nbounds; i++)
		bound_find(&s->opt.bound[i], &s->latency);
	if (s->opt.nbounds > 0)
		qsort(s->opt.bound, s->opt.nbounds, sizeof(*s->opt.bound),
		      compare_bounds);
	/* It is what the next one took, which not all of them exceed. */
	if (s->opt.longest > 0)
		s->ties = s->opt.longest - latency_between(&s->latency,
							   s->opt.bound->ns,
							   UINT64_MAX);
}

static void
settle_kept(struct split *s)
{
	struct cells cells;
	struct kept *c;
	size_t i, at = 0;

	for (i = 0; i < s->keep.n; i++) {
		c = &s->keep.call[i];
		cells = keep_cells(&s->keep, c, &at);
		c->part = part_of(s, c->ns);
		settle(s, c->ns, c->part, &cells);
	}
}

static void
join_blurred(struct split *s)
{
	uint64_t end;
	unsigned i;

	for (i = 0; i < LATENCY_BUCKETS; i++) {
		end = latency_bucket_end(i);
		if (end > s->latency.most)
			end = s->latency.most;
		if (s->bucket_part[i] > 0)
			parts_join(&s->parts, s->bucket_part[i],
				   part_of(s, end));
	}
}

bool
split_end(struct split *s)
{
	if (s->again)
		return false;
	roles_check(&s->roles, &s->samples);
	if (s->opt.by.what == SPLITBY_TIME && s->samples.mixes_clocks)
		errx(2, "times of several clocks are not pieces of one");
	check_hits(s);
	find_bounds(s);
	if (s->mode == SPLIT_KEEPS)
		settle_kept(s);
	else if (s->mode == SPLIT_BLURS)
		join_blurred(s);
	s->again = s->mode == SPLIT_COUNTS;
	if (!s->again)
		return false;
	s->mode = SPLIT_KNOWS;
	begin_pass(s);
	return true;
}

void
split_free(struct split *s)
{
	samples_free(&s->samples);
	calls_free(&s->calls);
	latency_free(&s->latency);
	latency_free(&s->hits);
	parts_free(&s->parts);
	keep_free(&s->keep);
	roles_free(&s->roles);
	marks_free(&s->marks);
	free(s->bucket_part);
}
