/* tracepoints.h - tracepoints of the kernel, described in tracefs. */
#ifndef TRACEPOINTS_H
#define TRACEPOINTS_H

#include "record/event_names.h"

/*
 * Replace path with that of a file below tracefs, with a NUL: below $TRACEFS,
 * if that is set.  False, with errno set, if the file is not there for us.
 */
bool tracepoints_path(struct buf *path, const char *file);

/*
 * The number of a tracepoint, as config of its attr.  False with the reason
 * appended to why.
 */
bool tracepoints_find(struct str system, struct str name, uint64_t *id,
		      struct buf *why);

/*
 * Append the formats of all requested tracepoints as perf.data has them, see
 * tracefmt.h.  Nothing is appended without tracepoints.
 */
void tracepoints_formats(struct buf *out, const struct event_requests *events);

#endif
