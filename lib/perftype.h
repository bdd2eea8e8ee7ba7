/* perftype.h - the types of records of perf.data, and the numbers in them. */
#ifndef PERFTYPE_H
#define PERFTYPE_H

#include <stdbool.h>
#include <stdint.h>

/* Records of the kernel, linux/perf_event.h, then those of perf itself. */
enum perf_type {
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_EXIT = 4,
	PERF_THROTTLE = 5,
	PERF_UNTHROTTLE = 6,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_LOST_SAMPLES = 13,
	PERF_SWITCH = 14,
	PERF_SWITCH_CPU_WIDE = 15,
	PERF_NAMESPACES = 16,
	PERF_KSYMBOL = 17,
	PERF_CGROUP_PATH = 19,
	PERF_CALLCHAIN_DEFERRED = 22,
	PERF_USER = 64, /* the first of perf's own */
	PERF_HEADER_ATTR = 64,
	PERF_HEADER_TRACING_DATA = 66,
	PERF_HEADER_BUILD_ID = 67,
	PERF_FINISHED_ROUND = 68,
	PERF_AUXTRACE = 71,
	PERF_THREAD_MAP = 73,
	PERF_EVENT_UPDATE = 78,
	PERF_TIME_CONV = 79,
	PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83
};

/* Whether a record is of a sample, or of the chain that comes behind one. */
static inline bool
perftype_is_sample(uint32_t type)
{
	return type == PERF_SAMPLE || type == PERF_CALLCHAIN_DEFERRED;
}

/* Bits of misc. */
enum {
	PERF_MODE_MASK = 7,
	PERF_MODE_KERNEL = 1,
	PERF_MODE_USER = 2,
	PERF_MODE_HYPERVISOR = 3,
	PERF_MODE_GUEST_KERNEL = 4,
	PERF_MODE_GUEST_USER = 5,
	PERF_MMAP_DATA = 0x2000,
	PERF_COMM_EXEC = 0x2000,
	PERF_FORK_EXISTED = 0x2000,
	PERF_SWITCH_OUT = 0x2000,
	PERF_MMAP_BUILD_ID = 0x4000,
	PERF_SWITCH_PREEMPT = 0x4000,
	PERF_BUILD_ID_SIZE = 0x8000,
	PERF_LOST_FILTERED = 0x8000
};

/* In chains: from here on all numbers say of what kind those behind are. */
#define PERF_CONTEXT_MAX ((uint64_t)-4095)
#define PERF_CONTEXT_HV ((uint64_t)-32)
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_USER ((uint64_t)-512)
#define PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERF_CONTEXT_GUEST ((uint64_t)-2048)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER ((uint64_t)-2560)

#define PERF_HEADER_SIZE 8

struct perf_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* of header and body, at least PERF_HEADER_SIZE */
};

#endif
