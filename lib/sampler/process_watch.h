/* process_watch.h - find processes to sample, also as they begin. */
#ifndef PROCESS_WATCH_H
#define PROCESS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which processes to find; the arrays grow and are the owner's. */
struct process_watch_options {
	bool children;     /* of processes that are sampled, and theirs */
	const char **comm; /* of these names; pids_has_name() */
	size_t ncomm, comm_cap;
	int *cgroup; /* in the cgroups with these folders, or below */
	size_t ncgroup, cgroup_cap;
	/* Whether a process is sampled already, and to sample another one. */
	bool (*has)(void *arg, int64_t pid);
	void (*add)(void *arg, int64_t pid);
	void *arg;
};

struct process_watch;

/* NULL if the options choose nothing.  They are borrowed. */
struct process_watch *
process_watch_new(const struct process_watch_options *options);
void process_watch_free(struct process_watch *w); /* may be NULL */

/*
 * Add processes that have begun since the last call, or the first time, all
 * that there are.  A process that began and ended since then is not seen.  now
 * is a time of CLOCK_MONOTONIC in ns.
 */
void process_watch_update(struct process_watch *w, uint64_t now);

#endif
