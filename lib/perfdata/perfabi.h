/* perfabi.h - the numbers of the perf.data format. */
#ifndef PERFABI_H
#define PERFABI_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The names are those of linux/perf_event.h, see perf_event_open(2), and for
 * perf's own records those of tools/lib/perf/include/perf/event.h of Linux.  We
 * do not include linux/perf_event.h, which may be older than the recording.
 */

/* Types of records.  perf writes those from USER_TYPE_START on. */
enum perf_record_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_CALLCHAIN_DEFERRED = 22,
	PERF_RECORD_USER_TYPE_START = 64,
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_TRACING_DATA = 66,
	PERF_RECORD_HEADER_BUILD_ID = 67,
	PERF_RECORD_FINISHED_ROUND = 68,
	PERF_RECORD_AUXTRACE = 71,
	PERF_RECORD_THREAD_MAP = 73,
	PERF_RECORD_EVENT_UPDATE = 78,
	PERF_RECORD_TIME_CONV = 79,
	PERF_RECORD_HEADER_FEATURE = 80,
	PERF_RECORD_COMPRESSED = 81,
	PERF_RECORD_FINISHED_INIT = 82,
	PERF_RECORD_COMPRESSED2 = 83
};

/* Whether a record is a sample or a deferred chain of samples. */
static inline bool
perfabi_is_sample(uint32_t type)
{
	return type == PERF_RECORD_SAMPLE ||
	       type == PERF_RECORD_CALLCHAIN_DEFERRED;
}

/*
 * Bits of misc in a record's header.  Some depend on the type: FORK_EXEC says
 * that the task existed before the recording, LOST_SAMPLES_BPF that a filter
 * of perf dropped the samples.
 */
enum {
	PERF_RECORD_MISC_CPUMODE_MASK = 7,
	PERF_RECORD_MISC_KERNEL = 1,
	PERF_RECORD_MISC_USER = 2,
	PERF_RECORD_MISC_HYPERVISOR = 3,
	PERF_RECORD_MISC_GUEST_KERNEL = 4,
	PERF_RECORD_MISC_GUEST_USER = 5,
	PERF_RECORD_MISC_MMAP_DATA = 0x2000,
	PERF_RECORD_MISC_COMM_EXEC = 0x2000,
	PERF_RECORD_MISC_FORK_EXEC = 0x2000,
	PERF_RECORD_MISC_SWITCH_OUT = 0x2000,
	PERF_RECORD_MISC_MMAP_BUILD_ID = 0x4000,
	PERF_RECORD_MISC_SWITCH_OUT_PREEMPT = 0x4000,
	PERF_RECORD_MISC_BUILD_ID_SIZE = 0x8000,
	PERF_RECORD_MISC_LOST_SAMPLES_BPF = 0x8000
};

/*
 * Markers in call chains: each says of which mode the addresses after it are.
 * All numbers from PERF_CONTEXT_MAX on are markers.
 */
#define PERF_CONTEXT_MAX ((uint64_t)-4095)
#define PERF_CONTEXT_HV ((uint64_t)-32)
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_USER ((uint64_t)-512)
#define PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERF_CONTEXT_GUEST ((uint64_t)-2048)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER ((uint64_t)-2560)

/* Bits of sample_type. */
enum {
	PERF_SAMPLE_IP = 1 << 0,
	PERF_SAMPLE_TID = 1 << 1,
	PERF_SAMPLE_TIME = 1 << 2,
	PERF_SAMPLE_ADDR = 1 << 3,
	PERF_SAMPLE_READ = 1 << 4,
	PERF_SAMPLE_CALLCHAIN = 1 << 5,
	PERF_SAMPLE_ID = 1 << 6,
	PERF_SAMPLE_CPU = 1 << 7,
	PERF_SAMPLE_PERIOD = 1 << 8,
	PERF_SAMPLE_STREAM_ID = 1 << 9,
	PERF_SAMPLE_RAW = 1 << 10,
	PERF_SAMPLE_BRANCH_STACK = 1 << 11,
	PERF_SAMPLE_REGS_USER = 1 << 12,
	PERF_SAMPLE_STACK_USER = 1 << 13,
	PERF_SAMPLE_WEIGHT = 1 << 14,
	PERF_SAMPLE_DATA_SRC = 1 << 15,
	PERF_SAMPLE_IDENTIFIER = 1 << 16,
	PERF_SAMPLE_TRANSACTION = 1 << 17,
	PERF_SAMPLE_REGS_INTR = 1 << 18,
	PERF_SAMPLE_PHYS_ADDR = 1 << 19,
	PERF_SAMPLE_AUX = 1 << 20,
	PERF_SAMPLE_CGROUP = 1 << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1 << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1 << 24
};

/* Bits of read_format. */
enum {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1 << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1 << 1,
	PERF_FORMAT_ID = 1 << 2,
	PERF_FORMAT_GROUP = 1 << 3,
	PERF_FORMAT_LOST = 1 << 4
};

/* Flags of perf_event_attr, as bits of a little-endian number. */
#define PERF_ATTR_DISABLED (UINT64_C(1) << 0)
#define PERF_ATTR_INHERIT (UINT64_C(1) << 1)
#define PERF_ATTR_EXCLUDE_USER (UINT64_C(1) << 4)
#define PERF_ATTR_EXCLUDE_KERNEL (UINT64_C(1) << 5)
#define PERF_ATTR_EXCLUDE_HV (UINT64_C(1) << 6)
#define PERF_ATTR_MMAP (UINT64_C(1) << 8)
#define PERF_ATTR_COMM (UINT64_C(1) << 9)
#define PERF_ATTR_FREQ (UINT64_C(1) << 10)
#define PERF_ATTR_ENABLE_ON_EXEC (UINT64_C(1) << 12)
#define PERF_ATTR_TASK (UINT64_C(1) << 13)
#define PERF_ATTR_WATERMARK (UINT64_C(1) << 14)
#define PERF_ATTR_PRECISE_SHIFT 15 /* two bits */
#define PERF_ATTR_MMAP_DATA (UINT64_C(1) << 17)
#define PERF_ATTR_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define PERF_ATTR_EXCLUDE_GUEST (UINT64_C(1) << 20)
#define PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL (UINT64_C(1) << 21)
#define PERF_ATTR_EXCLUDE_CALLCHAIN_USER (UINT64_C(1) << 22)
#define PERF_ATTR_MMAP2 (UINT64_C(1) << 23)
#define PERF_ATTR_COMM_EXEC (UINT64_C(1) << 24)
#define PERF_ATTR_USE_CLOCKID (UINT64_C(1) << 25)
#define PERF_ATTR_CONTEXT_SWITCH (UINT64_C(1) << 26)
#define PERF_ATTR_NAMESPACES (UINT64_C(1) << 28)
#define PERF_ATTR_KSYMBOL (UINT64_C(1) << 29)
#define PERF_ATTR_CGROUP (UINT64_C(1) << 32)
#define PERF_ATTR_BUILD_ID (UINT64_C(1) << 34)
#define PERF_ATTR_DEFER_CALLCHAIN (UINT64_C(1) << 38)

/* Types of events, and some values of config for PERF_TYPE_SOFTWARE. */
enum {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
	PERF_TYPE_HW_CACHE = 3,
	PERF_TYPE_RAW = 4,
	PERF_TYPE_BREAKPOINT = 5
};
enum {
	PERF_COUNT_SW_CPU_CLOCK = 0,
	PERF_COUNT_SW_TASK_CLOCK = 1,
	PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
	PERF_COUNT_SW_BPF_OUTPUT = 10
};

/*
 * stackrecord stores the chain of frame pointers of a sample in its copy of the
 * stack, after the valid bytes: from the next multiple of 8 on, this number,
 * the count of addresses, the addresses.  Readers that do not know of it ignore
 * these bytes.  In the call chain, perf would print them before the frames that
 * it unwinds.
 */
#define PERF_STACK_CHAIN UINT64_C(0x6e69616863747066) /* "fptchain" */

/* The header of each record. */
#define PERF_HEADER_SIZE 8

struct perf_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* of header and body, at least PERF_HEADER_SIZE */
};

#endif
