/* about.h - what metadata and stacks say of a profile, for its picture. */
#ifndef ABOUT_H
#define ABOUT_H

#include "merge.h"
#include "svg.h"

/* Texts that a picture points to.  All zero at the start. */
struct about {
	struct buf unit, line, header;
};

/*
 * Set s->about, s->header, s->samples and, unless an option did, s->number,
 * from the metadata of all that was read and from the finished tree.
 */
void about_set(struct about *a, const struct merge *merge, const struct tree *t,
	       struct svg *s);

void about_free(struct about *a);

#endif
