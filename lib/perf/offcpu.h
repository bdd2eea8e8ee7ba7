/* offcpu.h - when threads ran and when they waited, from perf records. */
#ifndef OFFCPU_H
#define OFFCPU_H

#include "perf/span.h"

/*
 * Waits come from four kinds of records:
 *
 * - switch records (perf record --switch-events), which have times only;
 * - samples of sched:sched_switch, sched_waking and sched_wakeup, with stacks;
 * - samples of context-switches, with stacks;
 * - the samples that "perf record --off-cpu" makes of whole waits.
 */
struct offcpu;

/*
 * wall asks for all time of threads, otherwise only for their waits.  The other
 * arguments are the caller's and outlive it.
 */
struct offcpu *offcpu_new(bool wall, struct resolver *resolver,
			  const struct perf_features *features,
			  const struct perf_events *events);
void offcpu_free(struct offcpu *o);

/* What a sample is about. */
enum offcpu_kind {
	OFFCPU_RAN,    /* a running thread: call offcpu_weigh() */
	OFFCPU_LEAVES, /* a thread that leaves its CPU, with the stack */
	OFFCPU_WAKES,  /* a thread that wakes another one */
	OFFCPU_WAITED, /* a whole wait of perf record --off-cpu, of period ns */
	OFFCPU_OTHER
};
enum offcpu_kind offcpu_kind(struct offcpu *o, const struct perf_record *r);

/*
 * Add a record other than a sample of OFFCPU_RAN or OFFCPU_WAITED.  Records
 * come in the order of time.  stack is the stack of OFFCPU_LEAVES, else NULL.
 */
void offcpu_add(struct offcpu *o, const struct perf_record *r,
		const struct callstack *stack);

/* Add a sample of OFFCPU_RAN; returns the nanoseconds that it stands for. */
uint64_t offcpu_weigh(struct offcpu *o, const struct perf_record *r);

/* The recording has ended. */
void offcpu_end(struct offcpu *o);

/*
 * Why the recording does not give the times that were asked for; empty if it
 * does.  Test it after each record and after offcpu_end().
 */
struct str offcpu_error(const struct offcpu *o);

/*
 * The next finished span, valid until the next record is added; false if none.
 * *leaf is a frame that says what the thread did; NULL if the span can only be
 * a wait.
 */
bool offcpu_next(struct offcpu *o, struct span *span, const struct code **leaf);

/*
 * Append the next line on what was not recorded, and how to record it; false if
 * there are no more.  Call it after offcpu_end().
 */
bool offcpu_note(struct offcpu *o, struct buf *line);

#endif
