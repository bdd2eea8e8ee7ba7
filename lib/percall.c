/* percall.c - what calls of one side take more, and where. */
#include "percall.h"

#include "duration.h"
#include "mem.h"

#include <math.h>
#include <stdlib.h>

/* What is less of the whole difference is not named. */
#define LEAST 0.1

/* A frame stands for its caller if it lacks no more of its difference. */
#define LACKS 0.25

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
	double total = count_double(s->total[side]) / p->calls[side];
	uint64_t units = (uint64_t)total;
	uint32_t micro = (uint32_t)((total - (double)units) * 1e6);

	return (struct count){ units, micro };
}

/* The difference of a call in each frame. */
static double *
differences(const struct percall *p, const struct sides *s)
{
	const struct trie_frame *f = s->trie.frame;
	double *d = mem_zero(s->trie.n, sizeof(*d));
	const struct pair *pair;
	uint32_t i;

	for (pair = s->pair; pair < s->pair + s->npair; pair++)
		d[pair->frame] +=
		    count_double(pair->count[AFTER]) / p->calls[AFTER] -
		    count_double(pair->count[BEFORE]) / p->calls[BEFORE];
	for (i = s->trie.n; i-- > 1;)
		d[f[i].parent] += d[i];
	return d;
}

/* A part of the difference: from a frame down to where it is spread. */
struct cause {
	uint32_t first, last;
	double n;
};

struct search {
	const struct sides *sides;
	const double *d;
	double least;
	struct cause *cause;
	size_t n, cap;
};

static void
add_cause(struct search *s, uint32_t first, uint32_t last, double n)
{
	if (fabs(n) < s->least)
		return;
	s->cause = mem_grow(s->cause, &s->cap, s->n + 1, sizeof(*s->cause));
	s->cause[s->n++] = (struct cause){ first, last, n };
}

/* The child that has about a frame's difference, or 0. */
static uint32_t
main_child(const struct search *s, uint32_t frame)
{
	const struct trie_frame *f = s->sides->trie.frame;
	uint32_t c, best = 0;

	for (c = f[frame].child; c != 0; c = f[c].next) {
		if (best == 0 || fabs(s->d[c]) > fabs(s->d[best]))
			best = c;
	}
	return best != 0 && fabs(s->d[best] - s->d[frame]) <=
				LACKS * fabs(s->d[frame]) ?
		   best :
		   0;
}

/*
 * Go down as long as one frame has most of the difference, and from there on
 * along each that has some.
 */
static void
explain(struct search *s, uint32_t first)
{
	const struct trie_frame *f = s->sides->trie.frame;
	uint32_t last = first, c;
	double rest;

	while ((c = main_child(s, last)) != 0)
		last = c;
	rest = s->d[last];
	for (c = f[last].child; c != 0; c = f[c].next) {
		if (fabs(s->d[c]) < s->least)
			continue;
		rest -= s->d[c];
		explain(s, c);
	}
	add_cause(s, first, last, rest);
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

static struct str
name_of(const struct sides *s, uint32_t frame)
{
	return frame == 0 ? STR("all") :
			    intern_name(s->names, s->trie.frame[frame].name);
}

static void
add_cause_text(const struct percall *p, const struct sides *s,
	       const struct cause *c, bool less, struct buf *out)
{
	add_amount(p, out, c->n);
	if ((c->n < 0) != less)
		buf_str(out, less ? STR(" more") : STR(" less"));
	buf_str(out, STR(" in "));
	buf_str(out, name_of(s, c->last));
	if (c->first != c->last && c->first != 0) {
		buf_str(out, STR(" under "));
		buf_str(out, name_of(s, c->first));
	}
}

/* "slow calls", or just "calls after" where the sides are of one kind. */
static void
add_subject(const struct sides *s, struct buf *out)
{
	struct str part = meta_get(exposure_meta(s, s->n - 1), "part");

	if (part.len > 0 &&
	    (s->paired || !str_eq(part, meta_get(exposure_meta(s, 0), "part"))))
		meta_decode(out, part);
	else
		buf_str(out, STR("calls after"));
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

void
percall_sentence(const struct percall *p, const struct sides *s,
		 struct buf *out)
{
	double *d = differences(p, s);
	struct search search = { .sides = s,
				 .d = d,
				 .least = LEAST * fabs(d[0]) };
	size_t i;

	if (d[0] != 0)
		explain(&search, 0);
	if (search.n > 0)
		qsort(search.cause, search.n, sizeof(*search.cause), by_size);
	add_subject(s, out);
	buf_str(out, STR(" take "));
	add_amount(p, out, d[0]);
	buf_str(out, d[0] < 0 ? STR(" less") : STR(" more"));
	add_took(p, s, d[0], out);
	for (i = 0; i < search.n; i++) {
		buf_str(out, i == 0 ? STR(": ") : STR(", "));
		add_cause_text(p, s, &search.cause[i], d[0] < 0, out);
	}
	free(search.cause);
	free(d);
}
