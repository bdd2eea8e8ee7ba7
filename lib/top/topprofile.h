/* topprofile.h - reads profiles into a time window while they arrive. */
#ifndef TOPPROFILE_H
#define TOPPROFILE_H

#include "base/intern.h"
#include "folded/measure.h"
#include "io/input.h"
#include "stream/window.h"
#include "tree/trie.h"

/*
 * Frames are in a trie.  Weights are in the window, by the frame where a stack
 * ends.  The caller sets the options, the rest is zero; topprofile_init(),
 * topprofile_read() for each input, then topprofile_free().
 */
struct topprofile {
	/* Options: */
	struct window window; /* its options */
	int counts;           /* counts per line, or 0 if not given */
	/* Called when a part of a stream is complete; may be NULL. */
	void (*ended)(void *arg);
	void *arg;

	struct intern *names;
	struct trie trie;
	double hz;       /* samples per second and thread, 0 if unknown */
	struct buf comm; /* of the stream, empty if unknown */
	uint64_t pid;    /* the same, 0 if unknown */
	struct meta
	    meta; /* unit, event, clock and quantum, where they are known */
	struct measure_evidence evidence; /* of the counts, without the total */
	bool cut_off; /* an incomplete snapshot was dropped */

	/* Private to topprofile.c. */
	struct topprofile_part {
		enum {
			TOPPROFILE_PLAIN,
			TOPPROFILE_SNAPSHOT,
			TOPPROFILE_SAMPLES
		} kind;
		bool supersedes; /* replaces all earlier parts */
		uint64_t begin, end;
		struct tallies tallies; /* since the last commit */
		double quantum, weight;
	} part;
	bool had_snapshot;
};

void topprofile_init(struct topprofile *p);
void topprofile_free(struct topprofile *p);

/*
 * Read folded text: a profile, a sample stream or a snapshot stream.  An
 * incomplete snapshot does not count.  With two counts a line, the second
 * counts.  Ends the program with status 2 if the unit changes.
 */
void topprofile_read(struct topprofile *p, struct input *in);

/* Commit what was read of a profile or a sample stream so far. */
void topprofile_flush(struct topprofile *p);

/*
 * The number of samples of a total, or an estimate; its weight if what a sample
 * adds is unknown.
 */
double topprofile_samples(const struct topprofile *p, struct window_total t);

/* Append a total in words: "5.26 s of CPU, 26,316 samples". */
void topprofile_describe(const struct topprofile *p, struct window_total t,
			 struct buf *out);

#endif
