/* cpu_share.h - separate running threads from those that wait for a CPU. */
#ifndef CPU_SHARE_H
#define CPU_SHARE_H

#include "sampler/thread_state.h"

/* A thread.  All zero is a thread without a sample. */
struct cpu_share {
	bool has_begun;
	uint64_t begin;                   /* time of the first look, ns */
	uint64_t first_ran, first_queued; /* the kernel's counters then */
	uint64_t ran, queued;             /* since then, ns */
	bool ran_since;                   /* the look before the last one */
	uint64_t ready_looks, running_looks;
};

/* Update it by the counters of a look at this time, in ns. */
void cpu_share_update(struct cpu_share *c, uint64_t time,
		      const struct thread_state *state);

/*
 * Whether to report a runnable thread as running.  The sampler itself needs a
 * CPU, so the state at the moment of a sample is not typical.  Samples are
 * divided in proportion to the kernel's counters since the first one.  A thread
 * that has not run since the last sample waits in any case; otherwise the place
 * where it was interrupted would be counted as long as that lasts.
 */
bool cpu_share_is_running(struct cpu_share *c);

#endif
