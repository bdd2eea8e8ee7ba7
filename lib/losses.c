/* losses.c - how many records of a recording were lost. */
#include "losses.h"

#include <inttypes.h>

/*
 * Since Linux 6.1, perf asks as it ends how many samples of each event were
 * lost, and writes that under no time.  The kernel has told of these, but for
 * the last, behind which nothing could be written any more.
 */
static bool
is_sum(const struct perf_record *r)
{
	return r->type == PERF_LOST_SAMPLES && r->time == 0;
}

uint64_t
losses_here(const struct perf_record *r)
{
	const bool tells = r->type == PERF_LOST || r->type == PERF_LOST_SAMPLES;

	return tells && !is_sum(r) ? r->lost : 0;
}

void
losses_take(struct losses *l, const struct perf_record *r)
{
	l->told += losses_here(r);
	/* What a filter of perf's left out was not lost. */
	if (is_sum(r) && !(r->misc & PERF_LOST_FILTERED))
		l->counted += r->lost;
}

bool
losses_note(const struct losses *l, struct buf *line)
{
	const uint64_t n = l->told > l->counted ? l->told : l->counted;

	if (n > 0)
		buf_printf(line,
			   "%" PRIu64 " record%s lost while recording: record "
			   "with a lower -F or a larger -m",
			   n, str_plural(n, " was", "s were"));
	return n > 0;
}
