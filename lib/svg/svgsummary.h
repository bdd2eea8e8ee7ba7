/* svgsummary.h - the line about a profile that its picture shows. */
#ifndef SVGSUMMARY_H
#define SVGSUMMARY_H

#include "folded/measure.h"
#include "folded/meta_merge.h"
#include "svg/svg.h"

/* Owner of texts that a picture points to.  All zero at first. */
struct svgsummary {
	struct measure measure;
	struct buf line, header;
};

/*
 * Set s->about, s->header, s->samples and, unless an option did, s->number
 * from the merged metadata of the input and from the finished tree.
 */
void svgsummary_set(struct svgsummary *a, const struct meta_merge *merge,
		    const struct tree *t, struct svg *s);

/* The title of a picture that was given none, as flamegraph.pl has it. */
struct str svgsummary_title(const struct svg *s, const struct tree *t);

void svgsummary_free(struct svgsummary *a);

#endif
