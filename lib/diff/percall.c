/* percall.c - explains why a call on one side takes longer. */
#include "diff/percall.h"

#include "base/duration.h"
#include "base/mem.h"
#include "base/min_samples.h"
#include "base/utf8.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

/*
 * The smallest share of the difference to name: of the difference without
 * waits for a CPU, and of the whole difference.
 */
#define MIN_SHARE 0.1
#define MIN_SHARE_OF_ALL 0.02

/* A callee stands for its caller if it misses no more of the difference. */
#define MAX_MISSING 0.25

/* A share of the time of a call that counts as none. */
#define NEGLIGIBLE 0.02

/* How much the times of calls may differ from the sampled times. */
#define TOLERANCE 0.1

bool
percall_find(struct percall *p, const struct comparison *c)
{
	const struct norm_option key = { .norm = NORM_KEY, .key = "exposure" };
	double calls;
	size_t i;

	*p = (struct percall){ .is_ns = true };
	for (i = 0; i < c->n; i++) {
		calls = exposure_of(c, i, &key);
		if (!(calls > 0))
			return false;
		p->calls[c->run[i].side] += calls;
		p->is_ns &= str_eq(meta_get(comparison_meta(c, i), "unit"),
				   STR("ns"));
	}
	return c->n > 0;
}

struct count
percall_total(const struct percall *p, const struct comparison *c,
	      enum side side)
{
	double total = count_double(c->total[side]) / p->calls[side], units;

	if (!(total < 0x1p64))
		errx(2, "the cost of a call exceeds 64 bits");
	units = floor(total);
	return (struct count){ (uint64_t)units,
			       (uint32_t)((total - units) * 1e6) };
}

static struct str
name_of(const struct comparison *c, uint32_t frame)
{
	return frame == 0 ? STR("all") :
			    intern_name(c->names, c->trie.frame[frame].name);
}

/* Compared apart: the time of a caller of both does not say which grew. */
enum percall_kind { COMPUTING, WAITING, KINDS };

/* A stack of a wait ends with its state, as "state:futex". */
static enum percall_kind
kind_of(struct str leaf)
{
	return str_starts(leaf, STR("state:")) &&
		       !str_eq(leaf, STR("state:running")) ?
		   WAITING :
		   COMPUTING;
}

/* Times per call, in ns or other units. */
struct percall_times {
	double *of[KINDS]; /* by frame */
	double queue;      /* waits for a CPU: any code has to wait for one */
};

static struct percall_times
times_per_call(const struct percall *p, const struct comparison *c,
	       enum side side)
{
	const struct trie_frame *f = c->trie.frame;
	struct percall_times t = { .queue = 0 };
	const struct pair *pair;
	struct str name;
	double *to;
	uint32_t i;
	int k;

	for (k = 0; k < KINDS; k++)
		t.of[k] = mem_zero(c->trie.n, sizeof(**t.of));
	for (pair = c->pair; pair < c->pair + c->npair; pair++) {
		name = name_of(c, pair->frame);
		to = str_eq(name, STR("state:runqueue")) ?
			 &t.queue :
			 &t.of[kind_of(name)][pair->frame];
		*to += count_double(pair->count[side]) / p->calls[side];
	}
	for (k = 0; k < KINDS; k++) {
		for (i = c->trie.n; i-- > 1;)
			t.of[k][f[i].parent] += t.of[k][i];
	}
	return t;
}

/*
 * A part of the difference, from the first frame down to the last, below which
 * it is spread over callees; NO_FRAME for waits for a CPU.
 */
#define NO_FRAME UINT32_MAX
struct cause {
	uint32_t first, last;
	double n;
	enum percall_kind kind;
};

struct percall_search {
	const struct comparison *comparison;
	struct percall_times time[2]; /* by side */
	enum percall_kind kind;       /* whose causes are searched now */
	double least;                 /* the smallest difference to name */
	struct cause *cause;
	size_t n, cap;
};

/* The additional time per call in a frame. */
static double
increase(const struct percall_search *s, uint32_t frame)
{
	return s->time[AFTER].of[s->kind][frame] -
	       s->time[BEFORE].of[s->kind][frame];
}

static double
time_in(const struct percall_search *s, int side, uint32_t frame)
{
	const struct percall_times *t = &s->time[side];

	return t->of[COMPUTING][frame] + t->of[WAITING][frame];
}

/* Whether only calls of one side spend time in a frame. */
static bool
is_one_sided(const struct percall_search *s, uint32_t frame)
{
	int side;

	for (side = BEFORE; side <= AFTER; side++) {
		if (time_in(s, side, frame) <= NEGLIGIBLE * time_in(s, side, 0))
			return true;
	}
	return false;
}

/*
 * The outermost frame, from one down to another, that does only what is
 * searched for: what computes beside waits would hide who waits.
 */
static uint32_t
first_of_kind(struct percall_search *s, uint32_t first, uint32_t last)
{
	const struct trie_frame *f = s->comparison->trie.frame;
	const enum percall_kind kind = s->kind;
	uint32_t found = last, i = last;

	s->kind = kind == WAITING ? COMPUTING : WAITING;
	for (;; i = f[i].parent) {
		if (fabs(increase(s, i)) < s->least)
			found = i;
		if (i == first)
			break;
	}
	s->kind = kind;
	return found;
}

/* Whether all stacks have a frame: to name it says nothing. */
static bool
has_all(const struct percall_search *s, uint32_t frame)
{
	return time_in(s, BEFORE, frame) >= time_in(s, BEFORE, 0) &&
	       time_in(s, AFTER, frame) >= time_in(s, AFTER, 0);
}

/* Add a cause.  False if it is too small to name. */
static bool
add_cause(struct percall_search *s, uint32_t first, uint32_t last, double n)
{
	if (n == 0 || fabs(n) < s->least)
		return false;
	s->cause = mem_grow(s->cause, &s->cap, s->n + 1, sizeof(*s->cause));
	if (last != NO_FRAME)
		first = first_of_kind(s, first, last);
	s->cause[s->n++] = (struct cause){ first, last, n, s->kind };
	return true;
}

/* The child that has nearly all of a frame's difference, or 0. */
static uint32_t
main_child(const struct percall_search *s, uint32_t frame)
{
	const struct trie_frame *f = s->comparison->trie.frame;
	uint32_t c, best = 0;
	double missing;

	for (c = f[frame].child; c != 0; c = f[c].next) {
		if (best == 0 || fabs(increase(s, c)) > fabs(increase(s, best)))
			best = c;
	}
	missing = fabs(increase(s, best) - increase(s, frame));
	return best != 0 && missing < s->least &&
		       missing <= MAX_MISSING * fabs(increase(s, frame)) ?
		   best :
		   0;
}

/*
 * Go down while one child has nearly all of the difference, then into each
 * child that has some of it.  A frame of one side only is one cause as a whole.
 * Return how much of the difference has a name.
 */
static double
explain(struct percall_search *s, uint32_t first)
{
	const struct trie_frame *f = s->comparison->trie.frame;
	uint32_t last = first, c;
	double rest;

	while ((c = main_child(s, last)) != 0 &&
	       (is_one_sided(s, first) || !is_one_sided(s, c)))
		last = c;
	rest = increase(s, last);
	for (c = f[last].child; c != 0 && !is_one_sided(s, first);
	     c = f[c].next) {
		if (fabs(increase(s, c)) < s->least)
			continue;
		rest -= explain(s, c);
	}
	if (is_one_sided(s, first))
		rest = increase(s, first);
	return add_cause(s, first, last, rest) ? increase(s, first) :
						 increase(s, first) - rest;
}

static int
by_size(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	if (fabs(x->n) != fabs(y->n))
		return fabs(x->n) > fabs(y->n) ? -1 : 1;
	return (x->last > y->last) - (x->last < y->last);
}

static void
add_amount(const struct percall *p, struct buf *out, double n)
{
	if (p->is_ns)
		duration_print(out, fabs(n));
	else
		buf_printf(out, "%.3g", fabs(n));
}

static bool
has_name(const struct comparison *c, uint32_t frame)
{
	return !str_starts(name_of(c, frame), STR("["));
}

/* Move both ends of a cause to the nearest frames that have names. */
static void
narrow(const struct percall_search *s, struct cause *cause)
{
	const struct comparison *c = s->comparison;
	const struct trie_frame *f = c->trie.frame;
	uint32_t i = cause->last, first = cause->first;

	while (i != first && !has_name(c, i))
		i = f[i].parent;
	if (!has_name(c, i))
		i = cause->last;
	cause->first = cause->last = i;
	for (; i != 0; i = f[i].parent) {
		if (has_name(c, i) && !has_all(s, i))
			cause->first = i;
		if (i == first)
			break;
	}
}

/* Whether the samples have waits, so that the others are times of a CPU. */
static bool
has_waits(const struct percall_search *s)
{
	int side;

	for (side = BEFORE; side <= AFTER; side++) {
		if (s->time[side].of[WAITING][0] + s->time[side].queue > 0)
			return true;
	}
	return false;
}

static void
add_cause_text(const struct percall *p, const struct percall_search *s,
	       struct cause cause, bool less, struct buf *out)
{
	const struct comparison *c = s->comparison;

	add_amount(p, out, cause.n);
	if ((cause.n < 0) != less)
		buf_str(out, less ? STR(" more") : STR(" less"));
	if (cause.last == NO_FRAME) {
		buf_str(out, STR(" waiting for a CPU"));
		return;
	}
	narrow(s, &cause);
	buf_str(out, cause.kind == COMPUTING && has_waits(s) ?
			 STR(" of CPU in ") :
			 STR(" in "));
	buf_str(out, name_of(c, cause.last));
	if (cause.first != cause.last) {
		buf_str(out, STR(" under "));
		buf_str(out, name_of(c, cause.first));
	}
}

/* Append "slow calls", or "calls after" if both sides are the same part. */
static void
add_subject(const struct comparison *c, struct buf *out)
{
	struct str part = meta_get(comparison_meta(c, c->n - 1), "part");
	struct buf decoded = { 0 };

	if (part.len > 0 &&
	    (c->paired ||
	     !str_eq(part, meta_get(comparison_meta(c, 0), "part"))))
		meta_decode(&decoded, part);
	else
		buf_str(&decoded, STR("calls after"));
	utf8_escape(out, buf_slice(&decoded));
	buf_free(&decoded);
}

/* How much longer calls took by their own times, 0 if unknown. */
static double
took_longer(const struct percall *p, const struct comparison *c)
{
	const struct norm_option key = { .norm = NORM_KEY, .key = "took" };
	double took[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < c->n; i++)
		took[c->run[i].side] += exposure_of(c, i, &key);
	if (!p->is_ns || !(took[BEFORE] > 0) || !(took[AFTER] > 0))
		return 0;
	return took[AFTER] / p->calls[AFTER] - took[BEFORE] / p->calls[BEFORE];
}

/* Append how much longer calls took, if the samples show another amount. */
static void
add_took(const struct percall *p, const struct comparison *c, double shown,
	 struct buf *out)
{
	double took = took_longer(p, c);

	if (took == 0 || fabs(took - shown) <= TOLERANCE * fabs(took))
		return;
	buf_str(out, STR(" (by their times "));
	add_amount(p, out, took);
	if ((took < 0) != (shown < 0))
		buf_str(out, took < 0 ? STR(" less") : STR(" more"));
	buf_char(out, ')');
}

/* Append a warning if there are few calls or samples. */
static void
add_thin(const struct percall *p, const struct comparison *c, struct buf *out)
{
	const struct norm_option key = { .norm = NORM_KEY, .key = "n" };
	double samples = 0;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->run[i].side == AFTER)
			samples += exposure_of(c, i, &key);
	}
	if (!(samples > 0) || !min_samples_missing(p->calls[AFTER], samples))
		return;
	buf_str(out, STR(" ("));
	min_samples_describe(out, p->calls[AFTER], samples);
	buf_char(out, ')');
}

/* Find the causes of both kinds; returns the whole difference. */
static double
find_causes(struct percall_search *s)
{
	const double queue = s->time[AFTER].queue - s->time[BEFORE].queue;
	double more[KINDS], all = queue;

	for (s->kind = 0; s->kind < KINDS; s->kind++) {
		more[s->kind] = increase(s, 0);
		all += more[s->kind];
	}
	s->least = MIN_SHARE_OF_ALL * fabs(all);
	add_cause(s, NO_FRAME, NO_FRAME, queue);
	s->least = fmax(s->least, MIN_SHARE * (fabs(more[COMPUTING]) +
					       fabs(more[WAITING])));
	for (s->kind = 0; s->kind < KINDS; s->kind++) {
		if (more[s->kind] != 0)
			explain(s, 0);
	}
	if (s->n > 0)
		qsort(s->cause, s->n, sizeof(*s->cause), by_size);
	return all;
}

void
percall_summary(const struct percall *p, const struct comparison *c,
		struct buf *out)
{
	struct percall_search search = { .comparison = c };
	double all;
	size_t i;
	int k;

	search.time[BEFORE] = times_per_call(p, c, BEFORE);
	search.time[AFTER] = times_per_call(p, c, AFTER);
	all = find_causes(&search);
	add_subject(c, out);
	buf_str(out, STR(" take "));
	add_amount(p, out, all);
	buf_str(out, all < 0 ? STR(" less") : STR(" more"));
	add_took(p, c, all, out);
	for (i = 0; i < search.n; i++) {
		buf_str(out, i == 0 ? STR(": ") : STR(", "));
		add_cause_text(p, &search, search.cause[i], all < 0, out);
	}
	add_thin(p, c, out);
	free(search.cause);
	for (k = 0; k < KINDS; k++) {
		free(search.time[BEFORE].of[k]);
		free(search.time[AFTER].of[k]);
	}
}
