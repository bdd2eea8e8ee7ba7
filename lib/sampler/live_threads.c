/* live_threads.c - a running process and the list of its threads. */
#include "sampler/live_threads.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/procfile.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* How long a description is good for waits in the same place, in ns. */
#define DESCRIPTION_NS 100000000

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
	wait_cause_free(&t->cause);
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

/* The last number of a value of "status"; 0 if there is none. */
static int64_t
read_status_id(const struct live_thread *t, const char *key)
{
	struct buf text = { 0 };
	struct str value, word = STR("");
	uint64_t n = 0;

	if (procfile_read_thread(&text, t->files.pid, t->files.tid, "status") &&
	    proctext_status(buf_slice(&text), str_of(key), &value)) {
		while (value.len > 0)
			word = str_cut(&value, '\t');
		if (!str_u64(word, &n) || n > INT32_MAX)
			n = 0;
	}
	buf_free(&text);
	return (int64_t)n;
}

int64_t
live_threads_inner_tid(struct live_thread *t)
{
	if (t->inner_tid == 0)
		t->inner_tid = read_status_id(t, "NSpid");
	/* Linux before 4.1 does not say. */
	if (t->inner_tid == 0)
		t->inner_tid = t->files.tid;
	return t->inner_tid;
}

struct live_thread *
live_threads_find_inner(const struct live_threads *l, int64_t inner_tid)
{
	size_t i;

	if (l->n > 0 &&
	    live_threads_inner_tid(l->thread[0]) == l->thread[0]->files.tid)
		return live_threads_find(l, inner_tid);
	for (i = 0; i < l->n; i++) {
		if (live_threads_inner_tid(l->thread[i]) == inner_tid)
			return l->thread[i];
	}
	return NULL;
}

/* Whether a name may be the start of a longer one, as the kernel cuts names. */
static bool
is_cut(struct str name, struct str whole)
{
	const size_t longest = 15;

	return name.len >= longest && str_starts(whole, name);
}

struct str
live_threads_name(const struct live_threads *l, const struct live_thread *t)
{
	const struct str own = buf_slice(&t->name);
	const struct live_thread *first = live_threads_find(l, l->process.pid);
	const struct str runtimes = buf_slice(&t->interp.name);

	return runtimes.len > 0 && t != first &&
		       (is_cut(own, runtimes) ||
			str_eq(own, buf_slice(&l->process.name)) ||
			(first != NULL &&
			 str_eq(own, buf_slice(&first->name)))) ?
		   runtimes :
		   own;
}

void
live_threads_set_gone(struct live_threads *l, struct live_thread *t)
{
	t->gone = l->stale = true;
}

/* A stop of ours is no debugger's: the tracer is one of our threads. */
static bool
is_own_thread(int64_t tid)
{
	return tgkill(getpid(), (pid_t)tid, 0) == 0;
}

void
live_threads_describe(struct live_thread *t)
{
	char text[THREAD_STATE_TEXT];
	struct proc_stat stat;

	t->described = (struct thread_description){ .time = 0 };
	if (thread_state_stat(&t->files, text, &stat)) {
		/* It waited when its state was read, and may run by now. */
		t->state = stat.state == 'R' ? 'S' : stat.state;
		if (t->state == 't') {
			t->tracer = read_status_id(t, "TracerPid");
			if (t->tracer == 0 || is_own_thread(t->tracer))
				t->state = 'S';
		}
		t->name.len = 0;
		buf_str(&t->name, stat.name);
	}
	t->wchan.len = 0;
	buf_str(&t->wchan, thread_state_wchan(&t->files, text));
}

static bool
is_same_call(const struct proc_call *a, const struct proc_call *b)
{
	return a->number >= 0 && a->number == b->number && a->sp == b->sp &&
	       a->pc == b->pc && a->arg[0] == b->arg[0];
}

void
live_threads_describe_wait(struct live_thread *t, const struct proc_call *call,
			   uint64_t now)
{
	struct thread_description *d = &t->described;

	d->is_older = d->time != 0 && now - d->time < DESCRIPTION_NS &&
		      is_same_call(&d->call, call);
	if (d->is_older)
		return;
	live_threads_describe(t);
	/* A thread that runs by now waits nowhere. */
	if (t->state != 'S' || t->wchan.len == 0)
		return;
	d->time = now;
	d->call = *call;
}

void
live_threads_describe_again(struct live_thread *t, uint64_t now)
{
	if (t->described.is_older && now - t->described.time >= DESCRIPTION_NS)
		live_threads_describe(t);
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
live_threads_has_ended(struct live_thread *t)
{
	char text[THREAD_STATE_TEXT];
	struct proc_stat stat;

	return !thread_state_stat(&t->files, text, &stat) ||
	       stat.state == 'Z' || stat.state == 'X';
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
