/* diagnosis.h - why threads make no progress: locks, debuggers, job control,
 * busy CPUs. */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "sampler/lock_chain.h"

struct diagnosis;

struct diagnosis *diagnosis_new(void);
void diagnosis_free(struct diagnosis *d);

/* Count a sample of a thread that waits; chain is that of its lock. */
void diagnosis_add(struct diagnosis *d, const struct live_threads *l,
		   const struct live_thread *t, const struct lock_chain *chain);

/* What the kernel counted since the last sample of a thread. */
struct cpu_time {
	uint64_t time;        /* of this sample, ns */
	uint64_t ran, queued; /* ns */
	bool is_queued;       /* the sample says that it waits for a CPU */
};

void diagnosis_add_cpu(struct diagnosis *d, int64_t pid,
		       const struct cpu_time *cpu);

/* Watch the CPU quota of a process. */
void diagnosis_watch(struct diagnosis *d, int64_t pid);

/*
 * Append what was found in this number of rounds, one sentence a line, the most
 * samples first.
 */
void diagnosis_print(struct diagnosis *d, uint64_t rounds, struct buf *out);

#endif
