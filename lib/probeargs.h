/* probeargs.h - what a probe fetched as it was hit. */
#ifndef PROBEARGS_H
#define PROBEARGS_H

#include "buf.h"
#include "tracefmt.h"

/*
 * Append the arguments and variables that a probe of perf-probe(1) fetched,
 * id=7 name="main", out of its raw bytes.  Nothing for other tracepoints, and
 * of what the bytes do not have.
 */
void probeargs(const struct trace_formats *t, const struct trace_format *f,
	       struct str raw, struct buf *out);

#endif
