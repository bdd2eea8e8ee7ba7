/* recorder-internal.h - what the files of a recorder share. */
#ifndef RECORDER_INTERNAL_H
#define RECORDER_INTERNAL_H

#include "base/u64map.h"
#include "record/call_watch.h"
#include "record/newest_records.h"
#include "record/overhead.h"
#include "record/perf_stream.h"
#include "record/record_wait.h"
#include "record/recorder.h"

/* What r->tasks knows of a thread. */
enum { TASK_GONE, TASK_OPENED, TASK_INHERITED };

/* Processes, or threads. */
struct pids_list {
	int64_t *pid;
	size_t n, cap;
};

struct recorder {
	struct record_plan *plan;
	struct counters *counters;
	struct perf_stream stream;
	struct buf early; /* records from before the head was written */
	struct buf *out;  /* where records go now */
	struct u64map tasks;
	struct pids_list pids;   /* that run already */
	struct pids_list opened; /* threads, in order */
	/* The only process, of one thread at first, which has all counts; or 0
	 */
	int64_t command;
	bool whole_machine;
	struct record_wait wait;
	struct overhead overhead;
	double max_cpu;    /* share of a CPU that we may take; 0: any */
	uint32_t times;    /* one sample is written in place of so many */
	uint64_t *sampled; /* units of each event that samples stand for */
	uint32_t *skipped; /* of each event, since the last sample */
	struct newest_records newest;
	struct call_watch *watch; /* or NULL */
	size_t enter, leave;      /* its events */
	struct recorder_counts counts;
};

/* TASK_*; what we know of a thread. */
uint32_t recorder_task_state(const struct recorder *r, int64_t tid);

/* Read all rings; returns the number of records. */
size_t recorder_drain(struct recorder *r);

#endif
