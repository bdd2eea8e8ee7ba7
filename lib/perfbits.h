/* perfbits.h - the numbers by which perf.data says what an event is. */
#ifndef PERFBITS_H
#define PERFBITS_H

/*
 * Knowledge of the format is from perf_event_open(2) and linux/perf_event.h.
 * What follows are the bits of sample_type.
 */
enum {
	PERF_IP = 1 << 0,
	PERF_TID = 1 << 1,
	PERF_TIME = 1 << 2,
	PERF_ADDR = 1 << 3,
	PERF_READ = 1 << 4,
	PERF_CALLCHAIN = 1 << 5,
	PERF_ID = 1 << 6,
	PERF_CPU = 1 << 7,
	PERF_PERIOD = 1 << 8,
	PERF_STREAM_ID = 1 << 9,
	PERF_RAW = 1 << 10,
	PERF_BRANCH_STACK = 1 << 11,
	PERF_REGS_USER = 1 << 12,
	PERF_STACK_USER = 1 << 13,
	PERF_WEIGHT = 1 << 14,
	PERF_DATA_SRC = 1 << 15,
	PERF_IDENTIFIER = 1 << 16,
	PERF_TRANSACTION = 1 << 17,
	PERF_REGS_INTR = 1 << 18,
	PERF_PHYS_ADDR = 1 << 19,
	PERF_AUX = 1 << 20,
	PERF_CGROUP = 1 << 21,
	PERF_DATA_PAGE_SIZE = 1 << 22,
	PERF_CODE_PAGE_SIZE = 1 << 23,
	PERF_WEIGHT_STRUCT = 1 << 24
};

/* Bits of read_format. */
enum {
	PERF_READ_ENABLED = 1 << 0,
	PERF_READ_RUNNING = 1 << 1,
	PERF_READ_ID = 1 << 2,
	PERF_READ_GROUP = 1 << 3,
	PERF_READ_LOST = 1 << 4
};

/* Types of events, and some of the numbers of software's. */
enum {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
	PERF_TYPE_BREAKPOINT = 5
};
enum {
	PERF_SW_CPU_CLOCK = 0,
	PERF_SW_TASK_CLOCK = 1,
	PERF_SW_SWITCHES = 3,
	PERF_SW_BPF = 10
};

#endif
