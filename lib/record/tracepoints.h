/* tracepoints.h - tracepoints of the kernel, described in tracefs. */
#ifndef TRACEPOINTS_H
#define TRACEPOINTS_H

#include "record/event_names.h"

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
