/* window.h - counts of stacks in the last seconds of a stream. */
#ifndef WINDOW_H
#define WINDOW_H

#include "base/count.h"

/* Statistics of counts; samples and rounds are 0 if unknown. */
struct tallies {
	double samples, lost, broken;
	double rounds; /* in each of which all threads were sampled once */
};

/* An interval of time and the stacks added in it, by number of the stack. */
struct slice {
	uint64_t begin, end; /* ns */
	struct tallies tallies;
	struct slice_cell {
		uint32_t stack;
		struct count count;
	} * cell;
	size_t n, cap;
	size_t packed; /* leading cells that are sorted, without duplicates */
};

void window_tallies_add(struct tallies *sum, const struct tallies *t);

/*
 * Add a stack; equal stacks are added up from time to time.  Here and below, a
 * sum beyond 64 bits ends the program with status 2.
 */
void window_slice_add(struct slice *s, uint32_t stack, struct count count);

/* Renumber the stacks of a slice. */
void window_slice_renumber(struct slice *s,
			   uint32_t (*number)(void *, uint32_t), void *arg);

void window_slice_free(struct slice *s);

/*
 * The caller sets the first part; the rest is zero at the start.  Release with
 * window_free().
 */
struct window {
	uint64_t length;  /* ns: slices that ended longer ago are dropped */
	bool sums;        /* also add up all stacks since the start */
	double half_life; /* ns in which these sums halve, 0: never */

	bool is_timed;     /* a slice had a time */
	struct slice open; /* for callers with one open slice at a time */

	/* Private. */
	struct slice *slice; /* oldest first */
	size_t n, cap;
	struct window_sum {
		struct count exact;
		double faded, seen; /* seen: age of the last count */
	} * sum;                    /* by stack */
	size_t sum_cap;
	struct tallies sum_tallies;
	double sum_weight, sum_length;
	double age, origin; /* ns since the first slice */
	uint64_t end;
};

/* Totals of the counts that window_read() returned. */
struct window_total {
	double weight;
	struct tallies tallies;
	double length; /* ns, 0 if unknown */
	uint64_t end;  /* of the last slice, ns; 0 if unknown */
};

/* Discard the open slice. */
void window_drop(struct window *w);

/*
 * Close the open slice: it counts from now on.  Without a time (begin and end
 * are 0) it counts only in the sum since the start.  If it ends before the
 * previous slice begins, a new window starts.
 */
void window_end(struct window *w, uint64_t begin, uint64_t end,
		const struct tallies *tallies);

/* Add a slice that has a time.  *s is moved: it is empty afterwards. */
void window_add(struct window *w, struct slice *s);

/* Discard everything but the open slice. */
void window_clear(struct window *w);

/*
 * Set the counts of stacks 0 to n - 1 to those in the window, or to their sums
 * since the start if since_start is set or no slice had a time.  Sums that fade
 * are rounded, and 0 after 20 half-lives without a count.
 */
struct window_total window_read(const struct window *w, bool since_start,
				struct count *count, uint32_t n);

/* Renumber all stacks that have a count. */
void window_renumber(struct window *w, uint32_t (*number)(void *, uint32_t),
		     void *arg);

void window_free(struct window *w);

#endif
