/* span.h - a span of a thread's time, on or off the CPU. */
#ifndef SPAN_H
#define SPAN_H

#include "perf/callstack.h"

enum span_kind {
	SPAN_WAIT,     /* off the CPU, waiting */
	SPAN_RUNNABLE, /* off the CPU, ready to run */
	SPAN_RAN,      /* on the CPU, not covered by a sample */
	SPAN_UNKNOWN   /* any of these: its start or its end was not recorded */
};

/* Bits of the kernel's task state (include/linux/sched.h). */
enum {
	SPAN_STATE_SLEEPING = 1 << 0,
	SPAN_STATE_DISK = 1 << 1,
	SPAN_STATE_STOPPED = 1 << 2 | 1 << 3, /* or traced */
	SPAN_STATE_WAITS = 0xff /* none of these: preempted, ready to run */
};

struct span {
	enum span_kind kind;
	int64_t pid, tid, cpu; /* -1 if unknown */
	uint64_t end, ns;
	int64_t state;   /* of a wait, 0 if unknown */
	uint64_t cgroup; /* the thread's last one, 0 if unknown */
	/* Where the thread left the CPU; NULL if not recorded. */
	const struct callstack *stack;
};

/*
 * One word for what the thread does: "runqueue", "running" or "unknown".  For
 * a wait it is the system call that the kernel's frames show, else what the
 * state says, else "waiting".
 */
struct str span_name(const struct span *span);

#endif
