/* span.h - a span of a thread's time: what it did, and where. */
#ifndef SPAN_H
#define SPAN_H

#include "callstack.h"

enum span_kind {
	SPAN_WAIT,     /* off the CPU, and waiting */
	SPAN_RUNNABLE, /* off the CPU, but ready to run */
	SPAN_RAN,      /* on the CPU, without a sample that stands for it */
	SPAN_UNKNOWN   /* one of these: its end, or its begin, was not seen */
};

struct span {
	enum span_kind kind;
	int64_t pid, tid, cpu; /* -1 if unknown */
	uint64_t end, ns;
	int64_t state;   /* of a wait: the kernel's bits, 0 if unknown */
	uint64_t cgroup; /* the thread's last, 0 if unknown */
	/* Where the thread left the CPU; NULL if that is not known. */
	const struct callstack *stack;
};

#endif
