/* ticker.h - add up stacks by time and write a snapshot at every tick. */
#ifndef TICKER_H
#define TICKER_H

#include "folded/meta_merge.h"
#include "stream/window.h"

/* What a snapshot counts. */
enum ticker_kind {
	TICKER_DELTA,     /* stacks since the last snapshot */
	TICKER_WINDOW,    /* stacks of the last length ns */
	TICKER_DECAY,     /* all stacks, halved every length ns */
	TICKER_CUMULATIVE /* all stacks */
};

struct ticker_options {
	uint64_t every; /* ns; ticks are at multiples of it */
	enum ticker_kind kind;
	uint64_t length; /* ns; of a window a multiple of every */

	/*
	 * Merge the metadata of the inputs into an empty merge, with the hosts
	 * only of inputs that had stacks after the time from.
	 */
	void (*describe)(void *arg, uint64_t from, struct meta_merge *merge);
	void *arg;
};

/*
 * A ticker stores the stacks of intervals that are open and of those that later
 * snapshots need.  Other stacks are discarded, so that memory stays bounded.
 */
struct ticker;

struct ticker *ticker_new(const struct ticker_options *options);
void ticker_free(struct ticker *t);

/* The number of a stack, with the host as first frame if not empty. */
uint32_t ticker_stack(struct ticker *t, struct str host, struct str stack);

/*
 * Register a slice of stacks that the caller will add later.  Writing a
 * snapshot may renumber stacks, in the slice too.  It must outlive the ticker.
 */
void ticker_register(struct ticker *t, struct slice *s);

/*
 * Add a stack that was seen at a time.  If its interval has been written, it
 * counts in the next one.  quantum is the count of one sample, 0 if unknown.
 */
void ticker_add(struct ticker *t, uint64_t time, uint32_t stack,
		struct count count, double quantum);
void ticker_tally(struct ticker *t, uint64_t time, const struct tallies *sum);

/* The first snapshot begins no later than this time. */
void ticker_begin(struct ticker *t, uint64_t time);

/* The last snapshot ends no earlier than this time. */
void ticker_reach(struct ticker *t, uint64_t time);

/* Write snapshots up to a time, before which no more stacks will arrive. */
void ticker_until(struct ticker *t, uint64_t time);

/* Set *end to the end of the next snapshot; false before the first stack. */
bool ticker_next(const struct ticker *t, uint64_t *end);

/* Write a snapshot of all stacks so far, between ticks. */
void ticker_now(struct ticker *t);

/* Write the remaining snapshots. */
void ticker_end(struct ticker *t);

/* The number of stacks that came after their interval was written. */
uint64_t ticker_late(const struct ticker *t);

#endif
