/* cpu_quota.h - how often the CPU quota of a cgroup stopped its processes. */
#ifndef CPU_QUOTA_H
#define CPU_QUOTA_H

#include "base/buf.h"

#include <stdint.h>

/* Cgroups that contain each other. */
enum { CPU_QUOTA_LEVELS = 16 };

struct cpu_quota_count {
	uint64_t periods, throttled;
};

/* All zero is none; release with cpu_quota_free(). */
struct cpu_quota {
	struct buf folder; /* of the cgroup */
	size_t mount;      /* length of the mount point, a prefix of folder */
	struct cpu_quota_count begin[CPU_QUOTA_LEVELS]; /* innermost first */
};

/*
 * Find the cgroup of a process; false if it is not found or has no counters of
 * CPU time.  Format: cgroups(7).
 */
bool cpu_quota_find(struct cpu_quota *q, int64_t pid);

/* Begin to count. */
void cpu_quota_begin(struct cpu_quota *q);

/*
 * Return the counts since cpu_quota_begin() of the cgroup that was throttled in
 * most periods, and set *name to that cgroup, a part of q.
 */
struct cpu_quota_count cpu_quota_end(const struct cpu_quota *q,
				     struct str *name);

void cpu_quota_free(struct cpu_quota *q);

#endif
