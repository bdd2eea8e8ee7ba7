/* process.h - the processes of a recording: names and memory by time. */
#ifndef PROCESS_H
#define PROCESS_H

#include "perfrecord.h"
#include "space.h"

/*
 * What was mapped where, and what a thread was called, at any time of a
 * recording.  Records are told in the order of their times; then it can be
 * asked for any time, and told more.
 */
struct processes;

struct processes *processes_new(void);
void processes_free(struct processes *all);

/*
 * Tell of a record: COMM, FORK, MMAP*, KSYMBOL, NAMESPACES, CGROUP_PATH;
 * others are ignored.  when
 * is its place in time, the same measure as in the questions below.
 */
void processes_tell(struct processes *all, const struct perf_record *r,
		    uint64_t when);

/* The name of a thread; empty if nothing is known of it. */
struct str processes_comm(struct processes *all, int64_t tid, uint64_t when);

/* The memory of a process at one time. */
struct view {
	uint32_t number; /* the same where the code is the same, never 0 */
	const struct space *space;
	const struct space *before; /* that of before exec, or NULL */
};

/*
 * The memory of a process; PROCESS_KERNEL is the kernel with its modules,
 * PROCESS_SYMBOLS what the kernel said of symbols as it made them: there the
 * path of a file is a symbol's name.
 */
enum { PROCESS_KERNEL = -1, PROCESS_SYMBOLS = -2 };
struct view processes_view(struct processes *all, int64_t pid, uint64_t when);

/* Where functions of a process return to whose return is probed, or 0. */
uint64_t processes_trampoline(struct processes *all, int64_t pid);

/* The path of a control group, by its number; empty if not recorded. */
struct str processes_cgroup(struct processes *all, uint64_t id);

/* A process's name spaces, as inodes; 0 if not recorded. */
uint64_t processes_mount_ns(const struct processes *all, int64_t pid);

#endif
