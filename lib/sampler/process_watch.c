/* process_watch.c - find processes to sample, also as they begin. */
#include "sampler/process_watch.h"

#include "base/mem.h"
#include "os/proctext.h"
#include "sampler/pids.h"
#include "sampler/procfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Cgroups lie at most so deep. */
enum { DEEPEST = 12 };

/*
 * If more ids than this were given out, listing all processes is cheaper than
 * trying each of them.
 */
enum { MAX_IDS = 4096 };

/* Names change, and processes are moved to other cgroups. */
#define SCAN_INTERVAL_NS 1000000000

struct process_watch {
	const struct process_watch_options *options;
	uint64_t last, before; /* ids given out last, at the last two calls */
	uint64_t scan_time;    /* when all processes were listed, ns */
	bool has_begun;
};

struct process_watch *
process_watch_new(const struct process_watch_options *options)
{
	struct process_watch *w;

	if (!options->children && options->ncomm == 0 && options->ncgroup == 0)
		return NULL;
	w = mem_zero(1, sizeof(*w));
	w->options = options;
	return w;
}

void
process_watch_free(struct process_watch *w)
{
	free(w);
}

/* The id that was given out last, to a process or a thread; 0 if unknown. */
static uint64_t
last_id(void)
{
	struct buf text = { 0 };
	struct str rest;
	uint64_t id = 0;

	/* "0.20 0.18 0.12 1/80 11206" */
	if (procfile_read(&text, "/proc/loadavg") && text.len > 0) {
		rest = (struct str){ text.p, text.len - 1 };
		while (rest.len > 0) {
			if (!str_u64(str_cut(&rest, ' '), &id))
				id = 0;
		}
	}
	buf_free(&text);
	return id;
}

static bool
status_number(struct str status, const char *key, int64_t *number)
{
	struct str value;
	uint64_t n;

	if (!proctext_status(status, str_of(key), &value) ||
	    !str_u64(value, &n) || n > INT32_MAX)
		return false;
	*number = (int64_t)n;
	return true;
}

/* Whether this is a process, not a thread of one, whose parent is sampled. */
static bool
is_child(const struct process_watch *w, int64_t pid)
{
	struct buf text = { 0 };
	char path[64];
	int64_t group, parent;
	bool ok;

	if (!w->options->children)
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/status", pid);
	ok = procfile_read(&text, path) &&
	     status_number(buf_slice(&text), "Tgid", &group) && group == pid &&
	     status_number(buf_slice(&text), "PPid", &parent) &&
	     w->options->has(w->options->arg, parent);
	buf_free(&text);
	return ok;
}

static bool
has_name(const struct process_watch *w, int64_t pid)
{
	size_t i;

	for (i = 0; i < w->options->ncomm; i++) {
		if (pids_has_name(pid, w->options->comm[i]))
			return true;
	}
	return false;
}

/* Add a process if it is wanted and new; returns whether it was. */
static bool
try_process(const struct process_watch *w, int64_t pid)
{
	if (pid == getpid() || w->options->has(w->options->arg, pid) ||
	    (!has_name(w, pid) && !is_child(w, pid)))
		return false;
	w->options->add(w->options->arg, pid);
	return w->options->has(w->options->arg, pid);
}

/* Try all processes; returns whether one was added. */
static bool
scan(const struct process_watch *w)
{
	DIR *d = opendir("/proc");
	bool found = false;
	struct dirent *e;
	uint64_t pid;

	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		if (str_u64(str_of(e->d_name), &pid) && pid <= INT32_MAX)
			found |= try_process(w, (int64_t)pid);
	}
	closedir(d);
	return found;
}

/* Cgroups. */

static int
open_in(int folder, const char *name, int flags)
{
	return openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | flags);
}

static void
add_processes(const struct process_watch *w, int folder)
{
	const int fd = open_in(folder, "cgroup.procs", 0);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	struct str number;
	char line[32];
	uint64_t pid;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		number = str_of(line);
		if (str_u64(str_cut(&number, '\n'), &pid) && pid <= INT32_MAX &&
		    (int64_t)pid != getpid() && pid != 0 &&
		    !w->options->has(w->options->arg, (int64_t)pid))
			w->options->add(w->options->arg, (int64_t)pid);
	}
	if (f != NULL)
		fclose(f);
	else if (fd >= 0)
		close(fd);
}

/* Add the processes of a cgroup and of those in it.  Closes the folder. */
static void
add_cgroup(const struct process_watch *w, int folder, int depth)
{
	DIR *d = fdopendir(folder);
	struct dirent *e;
	int fd;

	if (d == NULL) {
		close(folder);
		return;
	}
	add_processes(w, folder);
	while (depth < DEEPEST && (e = readdir(d)) != NULL) {
		if (e->d_type != DT_DIR || *e->d_name == '.')
			continue;
		fd = open_in(folder, e->d_name, O_DIRECTORY);
		if (fd >= 0)
			add_cgroup(w, fd, depth + 1);
	}
	closedir(d);
}

static void
add_cgroups(const struct process_watch *w)
{
	size_t i;
	int fd;

	for (i = 0; i < w->options->ncgroup; i++) {
		fd = open_in(w->options->cgroup[i], ".", O_DIRECTORY);
		if (fd >= 0)
			add_cgroup(w, fd, 0);
	}
}

/* Since the last call. */

static void
try_new(struct process_watch *w, uint64_t last)
{
	const uint64_t from = w->before;
	uint64_t id;

	if (last < from || last - from > MAX_IDS) {
		scan(w);
		return;
	}
	for (id = from + 1; id <= last; id++)
		try_process(w, (int64_t)id);
}

void
process_watch_update(struct process_watch *w, uint64_t now)
{
	const bool is_due = !w->has_begun ||
			    now - w->scan_time >= SCAN_INTERVAL_NS;
	const uint64_t last = last_id();

	/*
	 * An id is given out a moment before the process can be seen, so those
	 * of the call before are tried again.
	 */
	if (is_due || last != w->before)
		add_cgroups(w);
	if (!w->has_begun) {
		/* A process may have a greater id than its child. */
		while (scan(w))
			continue;
	} else if (last != w->before) {
		try_new(w, last);
	}
	if (w->has_begun && is_due && w->options->ncomm > 0)
		scan(w);
	if (is_due)
		w->scan_time = now;
	w->before = w->has_begun ? w->last : last;
	w->last = last;
	w->has_begun = true;
}
