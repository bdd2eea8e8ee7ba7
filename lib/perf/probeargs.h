/* probeargs.h - arguments and variables that perf-probe(1) probes fetch. */
#ifndef PROBEARGS_H
#define PROBEARGS_H

#include "base/buf.h"
#include "perfdata/perfattr.h"
#include "perfdata/tracefmt.h"

/* Fields of the events of one recording, each format parsed once. */
struct probeargs;

/* The formats are the caller's and outlive it. */
struct probeargs *probeargs_new(const struct trace_formats *formats);
void probeargs_free(struct probeargs *a);

/*
 * Append the values that a probe fetched, from the raw bytes of its sample:
 * id=7 name="main".  Appends nothing for other events, and no values that the
 * bytes lack.
 */
void probeargs_print(struct probeargs *a, const struct perf_event *ev,
		     struct str raw, struct buf *out);

/* Whether an event is a probe of a function's return. */
bool probeargs_is_return(struct probeargs *a, const struct perf_event *ev);

#endif
