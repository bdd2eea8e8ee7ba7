/* longline.h - stacks for readers whose lines have a limit. */
#ifndef LONGLINE_H
#define LONGLINE_H

#include "intern.h"

/* Room for a stack that was cut; all zero at the start, longline_free(). */
struct longline {
	uint32_t *id;
	size_t cap;
};

/*
 * If the text of a stack is longer than max bytes, make one of it that is not:
 * callers go, and [truncated] is in their place, behind the first frame if
 * that fits; of a leaf that is too long itself, the end goes.  max is at least
 * 32.  Then true is returned, and the frames, which are numbers in names, are
 * valid until the next call on l.
 */
bool longline_cut(struct longline *l, struct intern *names, const uint32_t **id,
		  size_t *n, size_t max);

void longline_free(struct longline *l);

#endif
