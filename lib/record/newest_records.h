/* newest_records.h - the newest samples of a recording, kept in memory. */
#ifndef NEWEST_RECORDS_H
#define NEWEST_RECORDS_H

#include "base/buf.h"

/* With size 0, nothing is kept; release with newest_records_free(). */
struct newest_records {
	uint64_t size;     /* bytes of samples and switches to keep, at most */
	struct buf others; /* all other records: older samples need them, too */
	struct buf recent;
	size_t first; /* of recent: what is before it was dropped */
};

void newest_records_free(struct newest_records *n);

/* Where to append a record of this type; then call newest_records_trim(). */
struct buf *newest_records_for(struct newest_records *n, uint32_t type);

/* Drop the oldest samples beyond the size. */
void newest_records_trim(struct newest_records *n);

/* Append all that is kept, and keep nothing. */
void newest_records_write(struct newest_records *n, struct buf *out);

#endif
