/* event_ratio.h - a ratio of two events, such as "instructions/cycles". */
#ifndef EVENT_RATIO_H
#define EVENT_RATIO_H

#include "base/str.h"

/* The events of a line with two counts, folded(5).  Borrowed; empty: none. */
struct event_ratio {
	struct str text, over, under; /* the last two are parts of text */
};

/* Where an event of a ratio is counted, or that it is not. */
enum event_ratio_column { RATIO_NEITHER = -1, RATIO_OVER, RATIO_UNDER };

/*
 * Parse two names with one slash between them; false if the text is another.
 * Names that have slashes of their own, as those with a PMU, are refused: an
 * event is found by its name alone on any PMU.
 */
bool event_ratio_parse(struct str text, struct event_ratio *ratio);

/* The column of a sample of an event, by the rules of event_matches(). */
enum event_ratio_column event_ratio_column(const struct event_ratio *ratio,
					   struct str event);

#endif
