/* pending.h - samples whose callers in user mode are recorded later. */
#ifndef PENDING_H
#define PENDING_H

#include "profile.h"

/*
 * Since Linux 6.19, the chain of user mode may be left out of samples in the
 * kernel, and recorded when the thread returns from there: one for all of
 * them, with a number that they share (PERF_CONTEXT_USER_DEFERRED).
 */
struct pending;

struct pending *pending_new(void);
void pending_free(struct pending *p);

/*
 * Keep a copy of a sample until the callers of this number come; if very much
 * waits, the oldest is truncated and ready.
 */
void pending_add(struct pending *p, const struct profile_sample *s,
		 uint64_t cookie);

/* The callers came: what waited for them is complete. */
void pending_complete(struct pending *p, int64_t tid, uint64_t cookie,
		      const struct callstack *user);

/* Nothing comes any more: what still waits is truncated. */
void pending_end(struct pending *p);

/* The next sample that is ready, valid until the next call; false if none. */
bool pending_next(struct pending *p, struct profile_sample *s);

#endif
