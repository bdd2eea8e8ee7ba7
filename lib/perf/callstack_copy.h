/* callstack_copy.h - frames of perf samples by the copies of their stacks. */
#ifndef CALLSTACK_COPY_H
#define CALLSTACK_COPY_H

#include "perf/callstack-internal.h"

/* False if the recording is of a machine that we cannot unwind. */
bool callstack_copy_begin(struct callstack_builder *b);

/*
 * Whether a sample may be of a probe at a function's entry or return.  Kernel
 * tracepoints are sampled in kernel mode.
 */
bool callstack_copy_is_probe(const struct perf_record *r);

/* Whether the copy of the stack says more than the chain. */
bool callstack_copy_is_better(struct callstack_builder *b,
			      const struct perf_record *r);

/* Push the kernel's chain, and the unwound copy. */
void callstack_copy_push(struct callstack_builder *b,
			 const struct perf_record *r);

#endif
