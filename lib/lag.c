/* lag.c - how much later things are here than by the clock they come with. */
#include "lag.h"

#define MINUTE ((uint64_t)60 * 1000000000)

void
lag_note(struct lag *l, uint64_t here, uint64_t time)
{
	const int64_t lag = (int64_t)(here - time);

	if (!l->known || here - l->since >= MINUTE) {
		l->before = l->known ? l->now : lag;
		l->now = lag;
		l->since = here;
		l->known = true;
	} else if (lag < l->now) {
		l->now = lag;
	}
}

int64_t
lag_least(const struct lag *l)
{
	return l->now < l->before ? l->now : l->before;
}
