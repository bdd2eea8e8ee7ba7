/* perfrounds.h - whether a stream of perf record is whole, by its rounds. */
#ifndef PERFROUNDS_H
#define PERFROUNDS_H

#include "perfdata/perfattr.h"

/*
 * perf record ends each round over its buffers with a FINISHED_ROUND record, so
 * a whole stream has no sample after the last of these.  Samples that perf
 * record itself writes at the end, of --off-cpu, are an exception.
 *
 * perf inject writes the rounds before the records, or drops them: such a
 * stream looks the same whether it is whole or not.
 *
 * All zero is the start of a stream.
 */
struct perf_rounds {
	bool any;      /* a round has ended */
	bool samples;  /* since the last round, or the start */
	bool injected; /* the first round had no records */
	bool judged;
};

/* Add the end of a round; newest is the latest time so far, 0 for none. */
void perfrounds_add(struct perf_rounds *r, uint64_t newest);

/* At the end of a stream: whether it is cut off.  True only once. */
bool perfrounds_cut(struct perf_rounds *r, const struct perf_events *events);

#endif
