/* process.h - the processes of a recording: names and memory by time. */
#ifndef PROCESS_H
#define PROCESS_H

#include "perfdata/perfrecord.h"
#include "symbols/addr_space.h"

/*
 * What each process had mapped, and what each thread was called, at any time of
 * a recording.  Times are whatever the caller passes to process_add(), for
 * example ns or record numbers.
 */
struct processes;

struct processes *process_new(void);
void process_free(struct processes *all);

/*
 * The same processes for another thread, which only looks them up.  Nothing is
 * added to all while there are forks, and all outlives them.
 */
struct processes *process_fork(const struct processes *all);
void process_fork_free(struct processes *fork);

/* Whether a process had executable memory without a file. */
bool process_make_code(const struct processes *all);

/*
 * Add a COMM, FORK, MMAP, MMAP2, KSYMBOL, NAMESPACES or CGROUP record; others
 * are ignored.  Records are added in the order of their times.
 */
void process_add(struct processes *all, const struct perf_record *r,
		 uint64_t when);

/* The name of a thread at a time; empty if unknown. */
struct str process_comm(struct processes *all, int64_t tid, uint64_t when);

/* The memory of a process at one time; valid as long as the processes. */
struct view {
	uint32_t number; /* not 0; equal numbers have equal code */
	const struct addr_space *space;
	const struct addr_space *before; /* before the last exec, or NULL */
};

/*
 * PROCESS_KERNEL is the kernel with its modules.  PROCESS_SYMBOLS is the code
 * that the kernel generated, from KSYMBOL records: the path of a file is the
 * name of a symbol.
 */
enum { PROCESS_KERNEL = -1, PROCESS_SYMBOLS = -2 };
struct view process_view(struct processes *all, int64_t pid, uint64_t when);

/* The address to which functions with a return probe return, or 0. */
uint64_t process_trampoline(struct processes *all, int64_t pid);

/* The path of a control group by its id; empty if not recorded. */
struct str process_cgroup(const struct processes *all, uint64_t id);

/* The inode of a process's mount name space; 0 if not recorded. */
uint64_t process_mount_ns(const struct processes *all, int64_t pid);

#endif
