/* window.h - the weights of stacks in the last seconds of a stream. */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of time: what was added in it, by number of the stack. */
struct slice {
	uint64_t begin, end; /* ns */
	double samples;      /* behind the weights, 0 if unknown */
	struct slice_cell {
		uint32_t stack;
		double weight;
	} * cell;
	size_t n, cap;
};

/*
 * All zero but for length and half_life at the start; release with
 * window_free().
 */
struct window {
	uint64_t length;  /* ns: what ended longer ago is not in it */
	double half_life; /* ns in which the sum becomes half, 0 for never */
	bool is_timed;    /* a piece had a time */

	/* Below here is window.c's own. */
	struct slice open;
	struct slice *slice; /* oldest first */
	size_t n, cap;
	double *sum; /* since the start, by stack */
	size_t sum_cap;
	double sum_weight, sum_samples, sum_length;
	uint64_t end;
};

/* What the weights are of. */
struct window_total {
	double weight, samples; /* samples 0 if unknown */
	double length;          /* ns, 0 if unknown */
};

/* Add a stack to the piece that is open; and forget that piece. */
void window_add(struct window *w, uint32_t stack, double weight);
void window_drop(struct window *w);

/*
 * The open piece is over, and counts.  Without a time (begin and end are 0)
 * it is only in the sum since the start.  A time far back begins a new window.
 */
void window_end(struct window *w, uint64_t begin, uint64_t end, double samples);

/* Forget all but the open piece. */
void window_clear(struct window *w);

/*
 * Set the weights of n stacks to those in the window, or to their sums since
 * the start, if that is asked for or nothing had a time.
 */
struct window_total window_read(const struct window *w, bool since_start,
				double *weight, uint32_t n);

void window_free(struct window *w);

#endif
