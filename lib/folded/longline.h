/* longline.h - cut stacks for readers that limit the length of a line. */
#ifndef LONGLINE_H
#define LONGLINE_H

#include "base/intern.h"

/* Space for a cut stack; all zero at the start, release it in the end. */
struct longline {
	uint32_t *id;
	size_t cap;
};

/*
 * If the text of a stack exceeds max bytes, replace callers by [truncated], and
 * keep the first frame if there is room.  If the leaf alone is too long, cut
 * its end.  max is at least 32.
 *
 * Returns true if the stack was cut.  *id and *n are the new stack then, valid
 * until the next call with l.  id holds numbers in names.
 */
bool longline_cut(struct longline *l, struct intern *names, const uint32_t **id,
		  size_t *n, size_t max);

void longline_free(struct longline *l);

#endif
