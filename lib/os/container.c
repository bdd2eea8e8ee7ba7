/* container.c - processes in containers on this machine. */
#include "os/container.h"

#include "os/proctext.h"
#include "os/sys_error.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The mount namespace of a process, 0 if it is gone; pid 0 is this process. */
static uint64_t
mount_ns(int64_t pid)
{
	char path[64] = "/proc/self/ns/mnt";
	struct stat st;

	if (pid != 0)
		snprintf(path, sizeof(path), "/proc/%" PRId64 "/ns/mnt", pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/* Find a process in a mount namespace; 0 if there is none. */
static int64_t
find_process(uint64_t ns)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	uint64_t pid;
	int64_t found = 0;

	if (proc == NULL) {
		sys_error_check("/proc");
		return 0;
	}
	while (found == 0 && (e = readdir(proc)) != NULL) {
		if (str_u64(str_of(e->d_name), &pid) && pid > 0 &&
		    pid <= INT32_MAX && mount_ns((int64_t)pid) == ns)
			found = (int64_t)pid;
	}
	closedir(proc);
	return found;
}

int64_t
container_root(struct container *c, int64_t pid, uint64_t recorded_ns,
	       bool *foreign)
{
	uint64_t current = pid > 0 ? mount_ns(pid) : 0,
		 ns = recorded_ns > 0 ? recorded_ns : current;

	if (c->own_ns == 0)
		c->own_ns = mount_ns(0);
	*foreign = ns != 0 && ns != c->own_ns;
	if (current == ns)
		return current == 0 ? 0 : pid;
	if (*foreign && ns != c->cached_ns) {
		c->cached_ns = ns;
		c->cached_pid = find_process(ns);
	}
	return *foreign ? c->cached_pid : 0;
}

/* "NSpid:	4711	12	1", from the outermost namespace to the
 * innermost. */
static uint64_t
last_number(struct str line)
{
	uint64_t n = 0;

	line = str_trim(line);
	while (line.len > 0)
		str_u64(str_cut(&line, '\t'), &n);
	return n;
}

int64_t
container_pid(int64_t pid)
{
	const struct str key = STR("NSpid:");
	char path[64], *line = NULL;
	size_t cap = 0;
	ssize_t n;
	uint64_t inner = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/status", pid);
	errno = 0;
	f = fopen(path, "re");
	sys_error_check(path);
	if (f == NULL)
		return 0;
	while (inner == 0 && (n = getline(&line, &cap, f)) > 0) {
		if (str_starts((struct str){ line, (size_t)n }, key))
			inner = last_number(
			    str_range(line + key.len, line + n - 1));
	}
	sys_error_check(path);
	free(line);
	fclose(f);
	return inner <= INT32_MAX ? (int64_t)inner : 0;
}

bool
container_mapping(struct buf *path, int64_t pid, struct str file)
{
	struct proc_map map;
	char name[64], *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%" PRId64 "/maps", pid);
	errno = 0;
	f = fopen(name, "re");
	sys_error_check(name);
	if (f == NULL)
		return false;
	while (!found && (n = getline(&line, &cap, f)) > 0)
		found = proctext_map((struct str){ line, (size_t)n - 1 },
				     &map) &&
			str_eq(map.path, file);
	sys_error_check(name);
	if (found)
		buf_printf(path,
			   "/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64,
			   pid, map.start, map.end);
	free(line);
	fclose(f);
	return found;
}
