/* losses.c - how many records a recording lost. */
#include "perfdata/losses.h"

#include <inttypes.h>

/*
 * Since Linux 6.1, perf reads the number of lost samples of each event when it
 * ends, and writes a record of each without a time.  The kernel has reported
 * these losses already, except those after which it wrote no more records.
 */
static bool
is_total(const struct perf_record *r)
{
	return r->type == PERF_RECORD_LOST_SAMPLES && r->time == 0;
}

uint64_t
losses_of(const struct perf_record *r)
{
	const bool is_loss = r->type == PERF_RECORD_LOST ||
			     r->type == PERF_RECORD_LOST_SAMPLES;

	return is_loss && !is_total(r) ? r->lost : 0;
}

void
losses_add(struct losses *l, const struct perf_record *r)
{
	l->by_kernel += losses_of(r);
	/* Samples that a filter of perf dropped are not lost. */
	if (is_total(r) && !(r->misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF))
		l->by_perf += r->lost;
}

bool
losses_note(const struct losses *l, struct buf *line)
{
	const uint64_t n = l->by_kernel > l->by_perf ? l->by_kernel :
						       l->by_perf;

	if (n > 0)
		buf_printf(line,
			   "%" PRIu64 " record%s lost while recording: record "
			   "with a lower -F or a larger -m",
			   n, str_plural(n, " was", "s were"));
	return n > 0;
}
