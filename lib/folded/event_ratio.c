/* event_ratio.c - a ratio of two events. */
#include "folded/event_ratio.h"

#include "folded/event.h"

bool
event_ratio_parse(struct str text, struct event_ratio *ratio)
{
	struct str under = text, over = str_cut(&under, '/');

	*ratio = (struct event_ratio){ text, over, under };
	return over.len > 0 && under.len > 0 && str_find(under, '/') == NULL &&
	       !str_eq(over, under);
}

enum event_ratio_column
event_ratio_column(const struct event_ratio *ratio, struct str event)
{
	if (event_matches(event, ratio->over))
		return RATIO_OVER;
	return event_matches(event, ratio->under) ? RATIO_UNDER : RATIO_NEITHER;
}
