/* live_threads.c - a running process and the list of its threads. */
#include "sampler/live_threads.h"

#include "base/mem.h"
#include "os/clock.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>

struct live_threads *
live_threads_new(int64_t pid)
{
	struct live_threads *l = mem_zero(1, sizeof(*l));

	l->process.pid = pid;
	l->interp = interp_new();
	return l;
}

static void
free_thread(struct live_thread *t)
{
	thread_state_close(&t->files);
	buf_free(&t->name);
	buf_free(&t->wchan);
	stack_cache_free(&t->cache);
	interp_free_thread(&t->interp);
	free(t);
}

void
live_threads_free(struct live_threads *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		free_thread(l->thread[i]);
	live_process_free(&l->process);
	interp_free(l->interp);
	free(l->thread);
	free(l->next);
	free(l->tid);
	free(l);
}

static DIR *
open_folder(int64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task", pid);
	return opendir(path);
}

bool
live_threads_exists(int64_t pid)
{
	DIR *d = open_folder(pid);

	if (d != NULL)
		closedir(d);
	return d != NULL;
}

/* One thread. */

static struct live_thread *
new_thread(int64_t pid, int64_t tid)
{
	struct live_thread *t = mem_zero(1, sizeof(*t));

	thread_state_open(&t->files, pid, tid);
	t->state = 'S';
	live_threads_describe(t);
	t->first_seen = t->name_time = clock_ns(CLOCK_MONOTONIC);
	return t;
}

struct live_thread *
live_threads_find(const struct live_threads *l, int64_t tid)
{
	size_t low = 0, high = l->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (l->thread[mid]->files.tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->n && l->thread[low]->files.tid == tid ? l->thread[low] :
								NULL;
}

void
live_threads_set_gone(struct live_threads *l, struct live_thread *t)
{
	t->gone = l->stale = true;
}

void
live_threads_describe(struct live_thread *t)
{
	struct buf text = { 0 };
	struct proc_stat stat;

	if (thread_state_stat(&t->files, &text, &stat)) {
		/* It waited when its state was read, and may run by now. */
		t->state = stat.state == 'R' ? 'S' : stat.state;
		t->name.len = 0;
		buf_str(&t->name, stat.name);
	}
	t->wchan.len = 0;
	buf_str(&t->wchan, thread_state_wchan(&t->files, &text));
	buf_free(&text);
}

bool
live_threads_retry_name(struct live_thread *t)
{
	const uint64_t longest = 1000000000, now = clock_ns(CLOCK_MONOTONIC);
	const uint64_t age = t->name_time - t->first_seen;

	if (now - t->name_time < (age < longest ? age : longest))
		return false;
	live_threads_describe(t);
	t->name_time = now;
	return true;
}

bool
live_threads_has_ended(const struct live_thread *t)
{
	struct buf text = { 0 };
	struct proc_stat stat;
	const bool ended = !thread_state_stat(&t->files, &text, &stat) ||
			   stat.state == 'Z' || stat.state == 'X';

	buf_free(&text);
	return ended;
}

/* The list. */

static int
compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The ids of all threads, sorted, into l->tid; false if the process is gone. */
static bool
list_ids(struct live_threads *l, size_t *n)
{
	DIR *d = open_folder(l->process.pid);
	struct dirent *e;
	uint64_t tid;

	*n = 0;
	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		if (!str_u64(str_of(e->d_name), &tid) || tid > INT32_MAX)
			continue;
		l->tid = mem_grow(l->tid, &l->tid_cap, *n + 1, sizeof(*l->tid));
		l->tid[(*n)++] = (int64_t)tid;
	}
	closedir(d);
	qsort(l->tid, *n, sizeof(*l->tid), compare);
	return *n > 0;
}

/* Merge two sorted lists: the threads we know, and the ids there are now. */
bool
live_threads_list(struct live_threads *l)
{
	struct live_thread **old = l->thread;
	size_t n, i, j = 0;

	if (!list_ids(l, &n))
		return false;
	l->next = mem_grow(l->next, &l->next_cap, n, sizeof(*l->next));
	for (i = 0; i < n; i++) {
		while (j < l->n &&
		       (old[j]->files.tid < l->tid[i] ||
			(old[j]->gone && old[j]->files.tid == l->tid[i])))
			free_thread(old[j++]);
		l->next[i] = j < l->n && old[j]->files.tid == l->tid[i] ?
				 old[j++] :
				 new_thread(l->process.pid, l->tid[i]);
	}
	while (j < l->n)
		free_thread(old[j++]);
	l->thread = l->next;
	l->next = old;
	l->n = n;
	l->stale = false;
	n = l->cap;
	l->cap = l->next_cap;
	l->next_cap = n;
	return true;
}
