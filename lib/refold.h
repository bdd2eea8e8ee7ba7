/* refold.h - a filter of folded text that changes stacks, one after another. */
#ifndef REFOLD_H
#define REFOLD_H

#include "cmd.h"
#include "fold.h"
#include "folded.h"

/*
 * What a filter gives, zero but for the first part; refold_free() at the end.
 * Profiles that are plain can be merged: their stacks, some of which have
 * become equal, come out sorted, added up.  Samples of a stream are written
 * one by one with their metadata, snapshots as they end.
 */
struct refold {
	int asked;   /* counts a line by an option, 0 for none */
	bool merge;  /* stacks may become equal */
	bool drops;  /* some are left out, so that n is not known */
	bool silent; /* write nothing: the stacks are looked at only */
	bool raw;    /* stacks come as they were read, not clean */
	void *arg;   /* for the functions below */

	/* A share of its profile below which a merged stack is left out. */
	double min_share;
	uint64_t below;     /* how many were, in all profiles */
	double below_share; /* what they were of a profile, where most was */

	/* names is new, or has become another table; may be NULL. */
	void (*begin)(struct refold *r);
	/*
	 * A stack, which the filter changes and gives back: to refold_add() if
	 * it is to be merged, else as a line to refold_line(); or it drops it.
	 */
	void (*stack)(struct refold *r, const struct folded *f,
		      const struct input *in, bool merge);

	struct intern *names; /* of frames that are written */

	/* Below here is refold.c's own. */
	struct fold *fold; /* what is merged, or NULL */
	struct buf out;
	const struct folded *now; /* the line that is being dealt with */
	bool single;              /* it has metadata of its own */
	uint64_t lost; /* records, before samples that were dropped */
	int fold_counts;
	uint32_t names_limit; /* more are begun anew; 0 in the first snapshot */
	int out_counts; /* of stacks written since the last header, or 0 */
	bool had_header, header_is_old; /* of a file before this one */
};

/* Read a file; arg is the struct refold, for cmd_files(). */
void refold_read(struct input *in, void *arg);

/* The stack as numbers in names, root first; n is at least 1. */
void refold_add(struct refold *r, const uint32_t *id, size_t n);

/*
 * Begin the line of a stack, whose text is then appended to what is returned;
 * end it, which writes its counts.
 */
struct buf *refold_line(struct refold *r);
void refold_line_end(struct refold *r);

/* Write what is left.  Sums beyond 64 bits end the program with status 2. */
void refold_end(struct refold *r);

void refold_free(struct refold *r);

#endif
