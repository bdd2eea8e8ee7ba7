/* perfrounds.c - whether a stream of perf record is whole, by its rounds. */
#include "perfdata/perfrounds.h"

/* Records before the samples, which perf made up, have no time. */
void
perfrounds_add(struct perf_rounds *r, uint64_t newest)
{
	if (!r->any)
		r->injected = !r->samples && newest == 0;
	r->any = true;
	r->samples = false;
}

static bool
has_off_cpu(const struct perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		if (str_starts(events->event[i]->name, STR("offcpu-time")))
			return true;
	}
	return false;
}

bool
perfrounds_cut(struct perf_rounds *r, const struct perf_events *events)
{
	const bool cut = r->any && r->samples && !r->injected && !r->judged &&
			 !has_off_cpu(events);

	r->judged = true;
	return cut;
}
