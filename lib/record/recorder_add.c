/* recorder_add.c - open the events for what is to be recorded. */
#include "record/recorder_add.h"

#include "base/mem.h"
#include "record/recorder-internal.h"
#include "record/refusal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>

static void
add_pid(struct pids_list *list, int64_t pid)
{
	list->pid = mem_grow(list->pid, &list->cap, list->n + 1,
			     sizeof(*list->pid));
	list->pid[list->n++] = pid;
}

/* The name of the first probe; empty if there is none. */
static struct str
first_probe(const struct event_requests *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		if (events->event[i].uprobe != NULL)
			return events->event[i].name;
	}
	return (struct str){ 0 };
}

static bool
explain(const struct recorder *r, int64_t pid, size_t tasks, struct buf *why)
{
	const struct refusal refusal = {
		.event = r->plan->names->event[0].name,
		.pid = pid,
		.whole_machine = r->whole_machine,
		.descriptors = tasks * counters_width(r->counters),
		.ring = counters_lack_ring(r->counters),
		.probe = first_probe(r->plan->names)
	};

	refusal_explain(why, errno, &refusal);
	return false;
}

bool
recorder_add_child(struct recorder *r, int64_t pid, struct buf *why)
{
	r->command = pid;
	add_pid(&r->opened, pid);
	return counters_add(r->counters, pid) || explain(r, pid, 1, why);
}

bool
recorder_add_machine(struct recorder *r, struct buf *why)
{
	r->whole_machine = true;
	return counters_add(r->counters, -1) || explain(r, 0, 1, why);
}

bool
recorder_add_cgroup(struct recorder *r, int cgroup, struct buf *why)
{
	r->whole_machine = true;
	return counters_add_cgroup(r->counters, cgroup) ||
	       explain(r, 0, 1, why);
}

/*
 * Open one thread, unless it has inherited our events; *opened counts.  False
 * with errno set.  A thread that is gone is none to open.
 */
static bool
add_thread(struct recorder *r, int64_t tid, size_t *opened)
{
	if (recorder_task_state(r, tid) != TASK_GONE)
		return true;
	recorder_drain(r); /* forks */
	if (recorder_task_state(r, tid) != TASK_GONE)
		return true;
	u64map_put(&r->tasks, (uint64_t)tid, TASK_OPENED);
	add_pid(&r->opened, tid);
	++*opened;
	return counters_add(r->counters, tid) || errno == ESRCH;
}

/* Open the threads that a process has now; *opened counts them. */
static bool
add_threads(struct recorder *r, int64_t pid, size_t *opened)
{
	char path[64];
	struct dirent *e;
	uint64_t tid;
	bool ok = true;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task", pid);
	d = opendir(path);
	if (d == NULL) {
		errno = errno == ENOENT ? ESRCH : errno;
		return false;
	}
	while (ok && (e = readdir(d)) != NULL) {
		if (str_u64(str_of(e->d_name), &tid))
			ok = add_thread(r, (int64_t)tid, opened);
	}
	closedir(d);
	return ok;
}

/* Threads may begin while others are opened; those inherit, or are found. */
bool
recorder_add_process(struct recorder *r, int64_t pid, struct buf *why)
{
	size_t before, opened = 0;

	do {
		before = opened;
		if (!add_threads(r, pid, &opened))
			return explain(r, pid, opened, why);
	} while (opened > before);
	r->command = opened == 1 && r->pids.n == 0 ? pid : 0;
	add_pid(&r->pids, pid);
	return true;
}
