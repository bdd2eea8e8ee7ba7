/* timeline.h - samples in the order of time, with their threads. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "base/buf.h"
#include "base/count.h"
#include "base/u64map.h"
#include "tree/tree.h"

/*
 * Limits.  The samples that are read take at most 170 MB, and those in the
 * picture about 2 MB of the file: beyond TIMELINE_ENTRIES, ticks become longer
 * and equal stacks of a thread in one tick become one entry.
 */
#define TIMELINE_SAMPLES (4U << 20)
#define TIMELINE_ENTRIES 250000U
#define TIMELINE_THREADS 255U /* others share one more */

struct timeline_sample {
	uint64_t time; /* ns; ticks from the start in a finished timeline */
	struct count count;
	uint32_t frame;  /* leaf of its stack, a number of the tree */
	uint32_t thread; /* index */
};

struct timeline_thread {
	int64_t pid, tid; /* -1 if unknown */
	double weight;    /* sum of its counts */
	struct str name;  /* of the root frame of nearly all counts, or empty */

	/* Private. */
	uint32_t root, place; /* of the root frame; its new index */
	double votes;         /* for that root */
};

/* All zero at first; release with timeline_free(). */
struct timeline {
	struct timeline_sample *sample; /* by time, thread and frame */
	size_t n;
	struct timeline_thread *thread; /* the busiest first */
	uint32_t nthreads;
	bool has_others; /* the last thread stands for many */
	uint64_t start;  /* ns on the clock of the samples */
	uint64_t ticks;  /* from the first to the last sample, and one */
	uint64_t tick;   /* ns */

	/* Private. */
	struct u64map index;
	size_t cap, thread_cap;
};

/*
 * Add a sample, before it is added to the tree.  False, and nothing is added,
 * beyond TIMELINE_SAMPLES.
 */
bool timeline_add(struct timeline *t, uint64_t time, int64_t pid, int64_t tid,
		  struct count count);

/* Add a stack without a time, which only the tree shows. */
bool timeline_skip(struct timeline *t);

/*
 * Call after the last sample, with the finished tree, which has recorded the
 * ends of exactly these stacks.  False if there is nothing to show: fewer than
 * two times, or too many different stacks for TIMELINE_ENTRIES.
 */
bool timeline_finish(struct timeline *t, const struct tree *tree);

void timeline_free(struct timeline *t);

#endif
