/* percall.c - what calls of one side take more, and where. */
#include "percall.h"

#include "duration.h"
#include "mem.h"
#include "thin.h"
#include "utf8.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>

/*
 * What is less of the difference is not named: of what waits for CPUs do not
 * have, and of all.
 */
#define LEAST 0.1
#define LEAST_OF_ALL 0.02

/* A frame stands for its caller if it lacks no more of its difference. */
#define LACKS 0.25

/* A part of the time of a call that is next to nothing. */
#define NOTHING 0.02

/* By how much times of calls may miss what was sampled in them. */
#define TOLERANCE 0.1

bool
percall_find(struct percall *p, const struct sides *s)
{
	const struct norm_option key = { .norm = NORM_KEY, .key = "exposure" };
	double calls;
	size_t i;

	*p = (struct percall){ .is_ns = true };
	for (i = 0; i < s->n; i++) {
		calls = exposure_of(s, i, &key);
		if (!(calls > 0))
			return false;
		p->calls[s->run[i].side] += calls;
		p->is_ns &= str_eq(meta_get(exposure_meta(s, i), "unit"),
				   STR("ns"));
	}
	return s->n > 0;
}

struct count
percall_total(const struct percall *p, const struct sides *s, enum side side)
{
	double total = count_double(s->total[side]) / p->calls[side], units;

	if (!(total < 0x1p64))
		errx(2, "what a call takes exceeds 64 bits");
	units = floor(total);
	return (struct count){ (uint64_t)units,
			       (uint32_t)((total - units) * 1e6) };
}

static struct str
name_of(const struct sides *s, uint32_t frame)
{
	return frame == 0 ? STR("all") :
			    intern_name(s->names, s->trie.frame[frame].name);
}

/*
 * What a call of a side takes in each frame.  Any code has to wait for a CPU
 * if others have them all; so that is summed up apart.
 */
static double *
times(const struct percall *p, const struct sides *s, enum side side,
      double *queue)
{
	const struct trie_frame *f = s->trie.frame;
	double *time = mem_zero(s->trie.n, sizeof(*time)), *to;
	const struct pair *pair;
	uint32_t i;

	*queue = 0;
	for (pair = s->pair; pair < s->pair + s->npair; pair++) {
		to = str_eq(name_of(s, pair->frame), STR("state:runqueue")) ?
			 queue :
			 &time[pair->frame];
		*to += count_double(pair->count[side]) / p->calls[side];
	}
	for (i = s->trie.n; i-- > 1;)
		time[f[i].parent] += time[i];
	return time;
}

/*
 * A part of the difference: from a frame down to where it is spread; NO_FRAME
 * for what is not of one.
 */
#define NO_FRAME UINT32_MAX
struct cause {
	uint32_t first, last;
	double n;
};

struct search {
	const struct sides *sides;
	double *time[2]; /* by side and frame */
	double least;
	struct cause *cause;
	size_t n, cap;
};

/* By how much calls take more in a frame. */
static double
more(const struct search *s, uint32_t frame)
{
	return s->time[AFTER][frame] - s->time[BEFORE][frame];
}

/* Whether calls of one side spend next to nothing of their time in it. */
static bool
is_own(const struct search *s, uint32_t frame)
{
	int side;

	for (side = BEFORE; side <= AFTER; side++) {
		if (s->time[side][frame] <= NOTHING * s->time[side][0])
			return true;
	}
	return false;
}

/* False if it is too little to be named. */
static bool
add_cause(struct search *s, uint32_t first, uint32_t last, double n)
{
	if (n == 0 || fabs(n) < s->least)
		return false;
	s->cause = mem_grow(s->cause, &s->cap, s->n + 1, sizeof(*s->cause));
	s->cause[s->n++] = (struct cause){ first, last, n };
	return true;
}

/* The child that has about a frame's difference, and no other some; or 0. */
static uint32_t
main_child(const struct search *s, uint32_t frame)
{
	const struct trie_frame *f = s->sides->trie.frame;
	uint32_t c, best = 0;
	double lacks;

	for (c = f[frame].child; c != 0; c = f[c].next) {
		if (best == 0 || fabs(more(s, c)) > fabs(more(s, best)))
			best = c;
	}
	lacks = fabs(more(s, best) - more(s, frame));
	return best != 0 && lacks < s->least &&
		       lacks <= LACKS * fabs(more(s, frame)) ?
		   best :
		   0;
}

/*
 * Go down as long as one frame has about all of the difference, and then along
 * each that has some of it; but what one side alone has is a cause as a whole.
 * Returns how much was named.
 */
static double
explain(struct search *s, uint32_t first)
{
	const struct trie_frame *f = s->sides->trie.frame;
	uint32_t last = first, c;
	double rest;

	while ((c = main_child(s, last)) != 0 &&
	       (is_own(s, first) || !is_own(s, c)))
		last = c;
	rest = more(s, last);
	for (c = f[last].child; c != 0 && !is_own(s, first); c = f[c].next) {
		if (fabs(more(s, c)) < s->least)
			continue;
		rest -= explain(s, c);
	}
	if (is_own(s, first))
		rest = more(s, first);
	return add_cause(s, first, last, rest) ? more(s, first) :
						 more(s, first) - rest;
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
has_name(const struct sides *s, uint32_t frame)
{
	return !str_starts(name_of(s, frame), STR("["));
}

/* The frames at both ends of a cause, or next to them, that have names. */
static void
narrow(const struct sides *s, struct cause *c)
{
	const struct trie_frame *f = s->trie.frame;
	uint32_t i = c->last, first = c->first;

	while (i != first && !has_name(s, i))
		i = f[i].parent;
	if (!has_name(s, i))
		i = c->last;
	c->first = c->last = i;
	for (; i != first; i = f[i].parent) {
		if (has_name(s, i))
			c->first = i;
	}
	if (first != 0 && has_name(s, first))
		c->first = first;
}

static void
add_cause_text(const struct percall *p, const struct sides *s,
	       const struct cause *cause, bool less, struct buf *out)
{
	struct cause c = *cause;

	add_amount(p, out, c.n);
	if ((c.n < 0) != less)
		buf_str(out, less ? STR(" more") : STR(" less"));
	if (c.last == NO_FRAME) {
		buf_str(out, STR(" waiting for a CPU"));
		return;
	}
	narrow(s, &c);
	buf_str(out, STR(" in "));
	buf_str(out, name_of(s, c.last));
	if (c.first != c.last) {
		buf_str(out, STR(" under "));
		buf_str(out, name_of(s, c.first));
	}
}

/* "slow calls", or just "calls after" where the sides are of one kind. */
static void
add_subject(const struct sides *s, struct buf *out)
{
	struct str part = meta_get(exposure_meta(s, s->n - 1), "part");
	struct buf decoded = { 0 };

	if (part.len > 0 &&
	    (s->paired || !str_eq(part, meta_get(exposure_meta(s, 0), "part"))))
		meta_decode(&decoded, part);
	else
		buf_str(&decoded, STR("calls after"));
	utf8_escape(out, buf_slice(&decoded));
	buf_free(&decoded);
}

/* By how much longer calls took, 0 if that is not known. */
static double
took_longer(const struct percall *p, const struct sides *s)
{
	const struct norm_option key = { .norm = NORM_KEY, .key = "took" };
	double took[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < s->n; i++)
		took[s->run[i].side] += exposure_of(s, i, &key);
	if (!p->is_ns || !(took[BEFORE] > 0) || !(took[AFTER] > 0))
		return 0;
	return took[AFTER] / p->calls[AFTER] - took[BEFORE] / p->calls[BEFORE];
}

/* Of what calls took longer, how much the samples show, if not all. */
static void
add_took(const struct percall *p, const struct sides *s, double shown,
	 struct buf *out)
{
	double took = took_longer(p, s);

	if (took == 0 || fabs(took - shown) <= TOLERANCE * fabs(took))
		return;
	buf_str(out, STR(" (by their times "));
	add_amount(p, out, took);
	if ((took < 0) != (shown < 0))
		buf_str(out, took < 0 ? STR(" less") : STR(" more"));
	buf_char(out, ')');
}

/* Of how little that is told, where samples are counted. */
static void
add_thin(const struct percall *p, const struct sides *s, struct buf *out)
{
	const struct norm_option key = { .norm = NORM_KEY, .key = "n" };
	double samples = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->run[i].side == AFTER)
			samples += exposure_of(s, i, &key);
	}
	if (!(samples > 0) || !is_thin(p->calls[AFTER], samples))
		return;
	buf_str(out, STR(" ("));
	thin_add(out, p->calls[AFTER], samples);
	buf_char(out, ')');
}

void
percall_sentence(const struct percall *p, const struct sides *s,
		 struct buf *out)
{
	struct search search = { .sides = s };
	double queue[2], rest, all;
	size_t i;

	search.time[BEFORE] = times(p, s, BEFORE, &queue[BEFORE]);
	search.time[AFTER] = times(p, s, AFTER, &queue[AFTER]);
	rest = more(&search, 0);
	all = rest + queue[AFTER] - queue[BEFORE];
	search.least = LEAST_OF_ALL * fabs(all);
	add_cause(&search, NO_FRAME, NO_FRAME, all - rest);
	search.least = fmax(search.least, LEAST * fabs(rest));
	if (rest != 0)
		explain(&search, 0);
	if (search.n > 0)
		qsort(search.cause, search.n, sizeof(*search.cause), by_size);
	add_subject(s, out);
	buf_str(out, STR(" take "));
	add_amount(p, out, all);
	buf_str(out, all < 0 ? STR(" less") : STR(" more"));
	add_took(p, s, all, out);
	for (i = 0; i < search.n; i++) {
		buf_str(out, i == 0 ? STR(": ") : STR(", "));
		add_cause_text(p, s, &search.cause[i], all < 0, out);
	}
	add_thin(p, s, out);
	free(search.cause);
	free(search.time[BEFORE]);
	free(search.time[AFTER]);
}
