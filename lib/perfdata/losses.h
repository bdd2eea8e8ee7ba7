/* losses.h - how many records a recording lost. */
#ifndef LOSSES_H
#define LOSSES_H

#include "base/buf.h"
#include "perfdata/perfrecord.h"

/* Two counts of the same losses; all zero at first. */
struct losses {
	uint64_t by_kernel; /* reported where the records are missing */
	uint64_t by_perf;   /* reported when the recording ended */
};

/*
 * The number of records that are missing where a record stands: 0 unless the
 * kernel reports a loss there.
 */
uint64_t losses_of(const struct perf_record *r);

/* Count a record of any type. */
void losses_add(struct losses *l, const struct perf_record *r);

/* Append a line on what was lost; false if nothing was. */
bool losses_note(const struct losses *l, struct buf *line);

#endif
