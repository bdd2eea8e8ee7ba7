/* deferred_chain.h - samples whose user-mode callers are recorded later. */
#ifndef DEFERRED_CHAIN_H
#define DEFERRED_CHAIN_H

#include "perf/perfdata_samples.h"

/*
 * Since Linux 6.19, the kernel may leave the user-mode chain out of samples
 * that it takes in kernel mode.  It records the chain once, when the thread
 * returns to user mode.  A cookie says which samples the chain belongs to
 * (PERF_CONTEXT_USER_DEFERRED).
 */
struct deferred_chain;

struct deferred_chain *deferred_chain_new(void);
void deferred_chain_free(struct deferred_chain *d);

/*
 * Copy a sample and let it wait for the chain with its cookie.  If the waiting
 * samples take too much memory, the oldest becomes ready, truncated.
 */
void deferred_chain_add(struct deferred_chain *d,
			const struct perfdata_sample *sample, uint64_t cookie);

/* The chain has come: append it to the samples that wait for it. */
void deferred_chain_complete(struct deferred_chain *d, int64_t tid,
			     uint64_t cookie, const struct callstack *user);

/* No more chains come: all waiting samples become ready, truncated. */
void deferred_chain_end(struct deferred_chain *d);

/* The next ready sample, valid until the next call; false if none. */
bool deferred_chain_next(struct deferred_chain *d,
			 struct perfdata_sample *sample);

#endif
