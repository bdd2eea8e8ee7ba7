/* branch_calls.h - the calls among the branch records of samples. */
#ifndef BRANCH_CALLS_H
#define BRANCH_CALLS_H

#include "perf/callstack.h"

/*
 * CPUs record their last taken branches (LBR, BRBE).  A branch is a call if the
 * kernel says so, "perf record -j any,save_type", or if the event selects only
 * calls, "-j any_call".
 */
struct branch_calls;

/* The resolver is the caller's and outlives the calls. */
struct branch_calls *branch_calls_new(struct resolver *resolver);
void branch_calls_free(struct branch_calls *b);

/* Add the calls of a sample.  Call resolve_at() for the sample first. */
void branch_calls_add(struct branch_calls *b, const struct perf_record *r);

/*
 * Get the next call of that sample: the called function is the leaf, its caller
 * is the root.  Valid until the next call; NULL after the last.
 */
const struct callstack *branch_calls_next(struct branch_calls *b);

/* After the last sample: why there are no calls; empty if there are. */
struct str branch_calls_error(const struct branch_calls *b);

/* As callstack_note(). */
bool branch_calls_note(struct branch_calls *b, struct buf *line);

#endif
