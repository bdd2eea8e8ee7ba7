/* probeargs.h - what a probe fetched as it was hit. */
#ifndef PROBEARGS_H
#define PROBEARGS_H

#include "buf.h"
#include "perfattr.h"
#include "tracefmt.h"

/* What the formats of events say, each looked at once. */
struct probeargs;

/* For one recording; the formats are the caller's. */
struct probeargs *probeargs_new(const struct trace_formats *formats);
void probeargs_free(struct probeargs *p);

/*
 * Append the arguments and variables that a probe of perf-probe(1) fetched,
 * id=7 name="main", out of its raw bytes.  Nothing for other events, and of
 * what the bytes do not have.
 */
void probeargs_print(struct probeargs *p, const struct perf_event *ev,
		     struct str raw, struct buf *out);

/* Whether an event is a probe of returns, which says where they go to. */
bool probeargs_is_return(struct probeargs *p, const struct perf_event *ev);

#endif
