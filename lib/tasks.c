/* tasks.c - the threads of a process that runs. */
#include "tasks.h"

#include "callnames.h"
#include "mem.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t
tasks_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct tasks *
tasks_new(int64_t pid)
{
	struct tasks *p = mem_zero(1, sizeof(*p));

	p->target.pid = pid;
	return p;
}

static void
free_task(struct task *t)
{
	look_close(&t->files);
	buf_free(&t->name);
	buf_free(&t->wchan);
	buf_free(&t->kept);
	stackof_release(&t->frames);
	free(t);
}

void
tasks_free(struct tasks *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free_task(p->task[i]);
	target_free(&p->target);
	free(p->task);
	free(p->next);
	free(p->tid);
	free(p);
}

static DIR *
open_list(int64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task", pid);
	return opendir(path);
}

bool
tasks_exists(int64_t pid)
{
	DIR *d = open_list(pid);

	if (d != NULL)
		closedir(d);
	return d != NULL;
}

static struct task *
new_task(int64_t pid, int64_t tid)
{
	struct task *t = mem_zero(1, sizeof(*t));

	look_open(&t->files, pid, tid);
	t->state = 'S';
	tasks_describe(t);
	t->seen = t->named = tasks_now();
	return t;
}

void
tasks_describe(struct task *t)
{
	struct buf text = { 0 };
	struct proc_stat stat;

	if (look_stat(&t->files, &text, &stat)) {
		t->state = stat.state == 'R' ? 'S' : stat.state;
		t->name.len = 0;
		buf_str(&t->name, stat.name);
	}
	t->wchan.len = 0;
	buf_str(&t->wchan, look_wchan(&t->files, &text));
	buf_free(&text);
}

bool
tasks_has_ended(const struct task *t)
{
	struct buf text = { 0 };
	struct proc_stat stat;
	const bool ended = !look_stat(&t->files, &text, &stat) ||
			   stat.state == 'Z' || stat.state == 'X';

	buf_free(&text);
	return ended;
}

static int
compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The ids of all threads, sorted, into p->tid; false if it is gone. */
static bool
list_ids(struct tasks *p, size_t *n)
{
	DIR *d = open_list(p->target.pid);
	struct dirent *e;
	uint64_t tid;

	*n = 0;
	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		if (!str_u64(str_of(e->d_name), &tid) || tid > INT32_MAX)
			continue;
		p->tid = mem_grow(p->tid, &p->tid_cap, *n + 1, sizeof(*p->tid));
		p->tid[(*n)++] = (int64_t)tid;
	}
	closedir(d);
	qsort(p->tid, *n, sizeof(*p->tid), compare);
	return *n > 0;
}

bool
tasks_list(struct tasks *p)
{
	struct task **old = p->task;
	size_t n, i, j = 0;

	if (!list_ids(p, &n))
		return false;
	p->next = mem_grow(p->next, &p->next_cap, n, sizeof(struct task *));
	for (i = 0; i < n; i++) {
		while (j < p->n &&
		       (old[j]->files.tid < p->tid[i] ||
			(old[j]->gone && old[j]->files.tid == p->tid[i])))
			free_task(old[j++]);
		p->next[i] = j < p->n && old[j]->files.tid == p->tid[i] ?
				 old[j++] :
				 new_task(p->target.pid, p->tid[i]);
	}
	while (j < p->n)
		free_task(old[j++]);
	p->task = p->next;
	p->next = old;
	p->n = n;
	p->stale = false;
	n = p->cap;
	p->cap = p->next_cap;
	p->next_cap = n;
	return true;
}

/*
 * A call with a limit of time goes on as restart_syscall(2) after a stop, with
 * the arguments that it had; where it waits in the kernel tells which it is:
 * futex(2), poll(2), or else one of those that sleep.
 */
static struct str
restarted_call(struct str wchan, const struct proc_call *call)
{
	const uint64_t clocks = 16; /* as many may have numbers; time.h */

	if (wchan.len == 0)
		return STR("restart_syscall");
	if (str_search(wchan, STR("futex")) != NULL)
		return STR("futex");
	if (str_search(wchan, STR("poll")) != NULL)
		return STR("poll");
	return call->arg[0] < clocks ? STR("clock_nanosleep") :
				       STR("nanosleep");
}

struct str
tasks_call(const struct task *t, const struct proc_call *call)
{
	const int64_t number = call->number;

	if (number < 0)
		return STR("");
	if ((uint64_t)number >= callnames_n || callnames[number] == NULL)
		return STR("unknown");
	if (number == SYS_restart_syscall)
		return restarted_call(buf_slice(&t->wchan), call);
	return str_of(callnames[number]);
}

/*
 * These were stopped by ptrace(2) and went on waiting, for as long as was
 * left, on Linux 6.18.  Those that did not are epoll_wait(2) and kin,
 * semop(2), sigtimedwait(2), io_getevents(2), and what waits for a socket
 * that has a limit of time, which cannot be seen from outside.
 */
static bool
is_restarted(struct str call)
{
	static const char *const names[] = {
		"futex",         "poll",           "ppoll",           "select",
		"pselect6",      "nanosleep",      "clock_nanosleep", "read",
		"msgrcv",        "wait4",          "flock",           "pause",
		"rt_sigsuspend", "restart_syscall"
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (str_eq(call, str_of(names[i])))
			return true;
	}
	return false;
}

bool
tasks_restarts(const struct task *t, const struct proc_call *call)
{
	struct str name = tasks_call(t, call);

	/* What job control stopped has been interrupted already. */
	if (t->state == 'T')
		return true;
	if (t->state == 'D' || call->number < 0 || !is_restarted(name))
		return false;
	return !str_eq(name, STR("read")) ||
	       !look_is_socket(&t->files, call->arg[0]);
}
