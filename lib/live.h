/* live.h - profiles as they come, each stack in its time. */
#ifndef LIVE_H
#define LIVE_H

#include "input.h"
#include "intern.h"
#include "trie.h"
#include "window.h"

/*
 * What is read: frames in a trie, and weights in a window by the frame in
 * which a stack ends.  All zero but for the window's and the caller's fields
 * at the start; live_init(), then live_read() for each input, live_free().
 */
struct live {
	struct window window;
	int counts; /* a line, by an option, 0 for none */

	/* Called when a piece of a stream is whole; may be NULL. */
	void (*ended)(void *arg);
	void *arg;

	struct intern *names;
	struct trie trie;
	double hz;       /* samples a second of each thread, 0 if unknown */
	struct buf comm; /* the stream's, empty if unknown */
	struct buf unit; /* of the counts, empty if unknown */
	bool cut_off;    /* an input ended within a snapshot, left out */

	/* Below here is live.c's own. */
	struct live_profile {
		enum { LIVE_PLAIN, LIVE_SNAPSHOT, LIVE_SAMPLES } kind;
		bool supersedes; /* all before: it is no part of a sum */
		uint64_t begin, end;
		struct tallies tallies; /* of the open piece */
		double quantum, weight;
	} profile;
	bool had_snapshot;
	uint64_t gcd; /* of the counts, 0 if none, 1 if some are not whole */
};

void live_init(struct live *l);
void live_free(struct live *l);

/*
 * Read folded text: a profile, a sample stream or a snapshot stream.  A
 * snapshot counts when it is whole.  Of two counts a line the second is taken.
 * Ends the program with status 2 where the unit changes.
 */
void live_read(struct live *l, struct input *in);

/* Let what was read of a profile or of a sample stream count. */
void live_flush(struct live *l);

/* The samples behind a total, as far as they can be told. */
double live_samples(const struct live *l, struct window_total t);

#endif
