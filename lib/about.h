/* about.h - what metadata and stacks say of a profile, for its picture. */
#ifndef ABOUT_H
#define ABOUT_H

#include "folded.h"
#include "svg.h"

/* Of all headers together.  All zero at the start. */
struct about {
	uint64_t headers;
	struct buf unit, event;   /* as decoded, of the first that has it */
	uint64_t n, lost, broken; /* sums */
	uint64_t with_n;          /* headers that say n */
	uint64_t quantum, hz;     /* 0 if unknown, or not always the same */
	uint64_t dur;             /* ns, sum */
	struct buf line;
};

/*
 * Take in what folded_read() has just called metadata.  Ends the program with
 * status 2 if counts of another unit, or that are no sums, are to be added.
 */
void about_header(struct about *a, const struct folded *f,
		  const struct input *in);

/*
 * Set s->about, s->samples and, unless an option did, s->number, from what is
 * known of a finished tree.  What s points to then is a's.
 */
void about_finish(struct about *a, const struct tree *t, struct svg *s);

void about_free(struct about *a);

#endif
