/* ticker.h - stacks added up by time, and a snapshot written at every tick. */
#ifndef TICKER_H
#define TICKER_H

#include "merge.h"
#include "window.h"

/* What a snapshot is of. */
enum ticker_kind {
	TICKER_DELTA,     /* what came since the last one */
	TICKER_WINDOW,    /* what came in the last length ns */
	TICKER_DECAY,     /* all, half as much after each length ns */
	TICKER_CUMULATIVE /* all */
};

struct ticker_options {
	uint64_t every; /* ns; ticks are at multiples of it */
	enum ticker_kind kind;
	uint64_t length; /* ns; of a window a multiple of every */

	/*
	 * Put into an empty merge what is known of the inputs, and the hosts
	 * of those that had something from a time on.
	 */
	void (*describe)(void *arg, uint64_t from, struct merge *m);
	void *arg;
};

/*
 * What is kept is stacks of intervals that are open, and those that are still
 * to be written: those that are gone are forgotten.
 */
struct ticker;

struct ticker *ticker_new(const struct ticker_options *options);
void ticker_free(struct ticker *t);

/* The number of a stack, behind a frame of the host's name if there is one. */
uint32_t ticker_stack(struct ticker *t, struct str host, struct str stack);

/*
 * Stacks that the caller has not added yet: their numbers may change whenever
 * something is written.  The slice outlives the ticker.
 */
void ticker_hold(struct ticker *t, struct slice *s);

/*
 * Add a stack that was seen at a time; what is later than its interval counts
 * in the next.  quantum is what a sample counts, or 0 if that is not known.
 */
void ticker_add(struct ticker *t, uint64_t time, uint32_t stack,
		struct count count, double quantum);
void ticker_tally(struct ticker *t, uint64_t time, const struct tallies *sum);

/*
 * Let the first snapshot begin at a time, where nothing began before it; and
 * the last end, where nothing came later.
 */
void ticker_begin(struct ticker *t, uint64_t time);
void ticker_reach(struct ticker *t, uint64_t time);

/* Nothing more comes from before a time: write snapshots up to it. */
void ticker_until(struct ticker *t, uint64_t time);

/* Where the next snapshot ends; false if nothing has come yet. */
bool ticker_next(const struct ticker *t, uint64_t *end);

/* Write a snapshot of all that came; at the end, of what was not written. */
void ticker_now(struct ticker *t);
void ticker_end(struct ticker *t);

/* How many stacks were late. */
uint64_t ticker_late(const struct ticker *t);

#endif
