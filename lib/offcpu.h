/* offcpu.h - out of the records of perf, when threads ran and waited. */
#ifndef OFFCPU_H
#define OFFCPU_H

#include "span.h"

/*
 * What threads wait for is told by records of switches (perf record
 * --switch-events), samples of sched:sched_switch, sched_waking and
 * sched_wakeup, samples of context-switches, and what "perf record --off-cpu"
 * makes.  Of the first only the times are known; the samples have stacks.
 */
struct offcpu;

/*
 * wall asks for all time of threads, else only for what they waited.  The
 * others are the caller's and outlive it.
 */
struct offcpu *offcpu_new(bool wall, struct resolver *r,
			  const struct perf_features *features,
			  const struct perf_events *events);
void offcpu_free(struct offcpu *o);

enum offcpu_kind {
	OFFCPU_RAN,    /* a sample of a running thread: offcpu_weigh() */
	OFFCPU_LEAVES, /* of a thread that leaves its CPU: its stack is told */
	OFFCPU_WAKES,  /* of who lets another one run again */
	OFFCPU_WAITED, /* a wait of perf record --off-cpu, its period in ns */
	OFFCPU_OTHER
};
enum offcpu_kind offcpu_kind(struct offcpu *o, const struct perf_record *r);

/*
 * Tell of a record that is neither a sample that ran nor a wait, in the order
 * of time; stack is that of OFFCPU_LEAVES, else NULL.
 */
void offcpu_tell(struct offcpu *o, const struct perf_record *r,
		 const struct callstack *stack);

/* Tell of a sample that ran: the nanoseconds that it stands for. */
uint64_t offcpu_weigh(struct offcpu *o, const struct perf_record *r);

/*
 * Nothing more comes.  Ends the program with status 2 if waits are asked for
 * and the recording has nothing that could tell of them.
 */
void offcpu_end(struct offcpu *o);

/*
 * The next span that is over, valid until anything is told, and the frame
 * that says what it is, NULL if that is clear.  False if there is none.
 */
bool offcpu_next(struct offcpu *o, struct span *span, const struct code **leaf);

/* As resolver_note(). */
bool offcpu_note(struct offcpu *o, struct buf *line);

#endif
