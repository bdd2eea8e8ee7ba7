/* window.h - the counts of stacks in the last seconds of a stream. */
#ifndef WINDOW_H
#define WINDOW_H

#include "count.h"

/* What else is known of counts: sums, samples 0 if unknown. */
struct tallies {
	double samples, lost, broken;
};

/* A piece of time: what was added in it, by number of the stack. */
struct slice {
	uint64_t begin, end; /* ns */
	struct tallies tallies;
	struct slice_cell {
		uint32_t stack;
		struct count count;
	} * cell;
	size_t n, cap;
	size_t packed; /* cells in which each stack is once, in order */
};

void tallies_add(struct tallies *sum, const struct tallies *t);

/*
 * Add a stack; equal ones become one cell now and then.  Here and below, a sum
 * beyond 64 bits ends the program with status 2.
 */
void slice_add(struct slice *s, uint32_t stack, struct count count);

/* Give each stack another number. */
void slice_renumber(struct slice *s, uint32_t (*number)(void *, uint32_t),
		    void *arg);

void slice_free(struct slice *s);

/*
 * All zero but for the first part at the start; release with window_free().
 */
struct window {
	uint64_t length;  /* ns: what ended longer ago is not in it */
	bool sums;        /* keep sums since the start as well */
	double half_life; /* ns in which these become half, 0 for never */

	bool is_timed;     /* a piece had a time */
	struct slice open; /* for whoever has one piece at a time */

	/* Below here is window.c's own. */
	struct slice *slice; /* oldest first */
	size_t n, cap;
	struct window_sum {
		struct count exact;
		double faded, seen; /* of an age; see window.c */
	} * sum;                    /* by stack */
	size_t sum_cap;
	struct tallies sum_tallies;
	double sum_weight, sum_length;
	double age, origin; /* ns that have passed */
	uint64_t end;
};

/* What the counts are of. */
struct window_total {
	double weight;
	struct tallies tallies;
	double length; /* ns, 0 if unknown */
};

/* Forget the open piece. */
void window_drop(struct window *w);

/*
 * The open piece is over, and counts.  Without a time (begin and end are 0)
 * it is only in the sum since the start.  A time far back begins a new window.
 */
void window_end(struct window *w, uint64_t begin, uint64_t end,
		const struct tallies *tallies);

/* Take over a piece that has a time. */
void window_take(struct window *w, struct slice *s);

/* Forget all but the open piece. */
void window_clear(struct window *w);

/*
 * Set the counts of n stacks to those in the window, or to their sums since
 * the start, if that is asked for or nothing had a time.  Those that fade are
 * rounded; what was not seen for 20 half-lives is gone.
 */
struct window_total window_read(const struct window *w, bool since_start,
				struct count *count, uint32_t n);

/* Give each stack that has a count another number. */
void window_renumber(struct window *w, uint32_t (*number)(void *, uint32_t),
		     void *arg);

void window_free(struct window *w);

#endif
