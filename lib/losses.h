/* losses.h - how many records of a recording were lost. */
#ifndef LOSSES_H
#define LOSSES_H

#include "buf.h"
#include "perfrecord.h"

/* All zero is none. */
struct losses {
	uint64_t told;    /* by the kernel, where they are missing */
	uint64_t counted; /* by perf, once more, as the recording ended */
};

/*
 * The records that are missing where this one stands: 0 if it tells of none,
 * or of all of the recording.
 */
uint64_t losses_here(const struct perf_record *r);

/* Take a record, which may tell of losses. */
void losses_take(struct losses *l, const struct perf_record *r);

/* Append a line on what was lost; false if nothing was. */
bool losses_note(const struct losses *l, struct buf *line);

#endif
