/* container.c - processes of other name spaces on this machine. */
#include "container.h"

#include "outage.h"
#include "proctext.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The mount name space of a process, 0 if it is gone, or of this one for 0. */
static uint64_t
mounts_of(int64_t pid)
{
	char path[64] = "/proc/self/ns/mnt";
	struct stat st;

	if (pid != 0)
		snprintf(path, sizeof(path), "/proc/%" PRId64 "/ns/mnt", pid);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static int64_t
find(uint64_t mounts)
{
	DIR *proc = opendir("/proc");
	struct dirent *e;
	uint64_t pid;
	int64_t found = 0;

	if (proc == NULL) {
		outage_check("/proc");
		return 0;
	}
	while (found == 0 && (e = readdir(proc)) != NULL) {
		if (str_u64(str_of(e->d_name), &pid) && pid > 0 &&
		    pid <= INT32_MAX && mounts_of((int64_t)pid) == mounts)
			found = (int64_t)pid;
	}
	closedir(proc);
	return found;
}

int64_t
container_root(struct container *c, int64_t pid, uint64_t recorded,
	       bool *foreign)
{
	uint64_t now = pid > 0 ? mounts_of(pid) : 0,
		 mounts = recorded > 0 ? recorded : now;

	if (c->ours == 0)
		c->ours = mounts_of(0);
	*foreign = mounts != 0 && mounts != c->ours;
	if (now == mounts)
		return now == 0 ? 0 : pid;
	if (*foreign && mounts != c->asked) {
		c->asked = mounts;
		c->who = find(mounts);
	}
	return *foreign ? c->who : 0;
}

/* "NSpid:	4711	12	1", from the outermost name space to its own. */
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
	uint64_t own = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/status", pid);
	errno = 0;
	f = fopen(path, "re");
	outage_check(path);
	if (f == NULL)
		return 0;
	while (own == 0 && (n = getline(&line, &cap, f)) > 0) {
		if (str_starts((struct str){ line, (size_t)n }, key))
			own = last_number(
			    str_range(line + key.len, line + n - 1));
	}
	outage_check(path);
	free(line);
	fclose(f);
	return own <= INT32_MAX ? (int64_t)own : 0;
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
	outage_check(name);
	if (f == NULL)
		return false;
	while (!found && (n = getline(&line, &cap, f)) > 0)
		found = proctext_map((struct str){ line, (size_t)n - 1 },
				     &map) &&
			str_eq(map.path, file);
	outage_check(name);
	if (found)
		buf_printf(path,
			   "/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64,
			   pid, map.start, map.end);
	free(line);
	fclose(f);
	return found;
}
