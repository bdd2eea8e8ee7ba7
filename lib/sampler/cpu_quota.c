/* cpu_quota.c - how often the CPU quota of a cgroup stopped its processes. */
#include "sampler/cpu_quota.h"

#include "sampler/procfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOUNT_POINT "/sys/fs/cgroup"

void
cpu_quota_free(struct cpu_quota *q)
{
	buf_free(&q->folder);
}

static bool
has_word(struct str list, struct str word)
{
	while (list.len > 0) {
		if (str_eq(str_cut(&list, ','), word))
			return true;
	}
	return false;
}

/* Set the folder; false if it has no counters, or is outside of our tree. */
static bool
set_folder(struct cpu_quota *q, struct str mount, struct str path)
{
	struct buf file = { 0 };
	bool ok;

	q->folder.len = 0;
	buf_str(&q->folder, STR(MOUNT_POINT));
	if (mount.len > 0) {
		buf_char(&q->folder, '/');
		buf_str(&q->folder, mount);
	}
	q->mount = q->folder.len;
	if (str_eq(path, STR("/")))
		path.len = 0;
	buf_str(&q->folder, path);
	buf_str(&file, buf_slice(&q->folder));
	buf_add(&file, "/cpu.stat", sizeof("/cpu.stat"));
	ok = str_search(path, STR("/..")) == NULL && access(file.p, R_OK) == 0;
	buf_free(&file);
	return ok;
}

/* Lines are "4:cpu,cpuacct:/a/b", or "0::/a/b" for version 2. */
bool
cpu_quota_find(struct cpu_quota *q, int64_t pid)
{
	struct buf text = { 0 };
	struct str rest, line, list;
	char path[64];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/cgroup", pid);
	if (!procfile_read(&text, path))
		text.len = 0;
	rest = buf_slice(&text);
	while (!found && rest.len > 0) {
		line = str_cut(&rest, '\n');
		str_cut(&line, ':');
		list = str_cut(&line, ':');
		if (list.len == 0)
			found = set_folder(q, STR(""), line) ||
				set_folder(q, STR("unified"), line);
		else if (has_word(list, STR("cpu")))
			found = set_folder(q, list, line) ||
				set_folder(q, STR("cpu"), line);
	}
	buf_free(&text);
	return found;
}

/* Read "cpu.stat" in a folder; zero where it has no such keys. */
static struct cpu_quota_count
read_count(struct str folder)
{
	struct cpu_quota_count count = { 0 };
	struct buf path = { 0 }, text = { 0 };
	struct str rest, line, key;

	buf_str(&path, folder);
	buf_add(&path, "/cpu.stat", sizeof("/cpu.stat"));
	if (!procfile_read(&text, path.p))
		text.len = 0;
	rest = buf_slice(&text);
	while (rest.len > 0) {
		line = str_cut(&rest, '\n');
		key = str_cut(&line, ' ');
		if (str_eq(key, STR("nr_periods")))
			str_u64(line, &count.periods);
		else if (str_eq(key, STR("nr_throttled")))
			str_u64(line, &count.throttled);
	}
	buf_free(&path);
	buf_free(&text);
	return count;
}

/* Shorten a path to its parent folder; false at the mount point. */
static bool
go_up(struct str *folder, size_t mount)
{
	size_t n = folder->len;

	while (n > mount && folder->p[n - 1] != '/')
		n--;
	if (n <= mount)
		return false;
	folder->len = n - 1;
	return true;
}

void
cpu_quota_begin(struct cpu_quota *q)
{
	struct str folder = buf_slice(&q->folder);
	size_t i = 0;

	do {
		q->begin[i++] = read_count(folder);
	} while (i < CPU_QUOTA_LEVELS && go_up(&folder, q->mount));
}

struct cpu_quota_count
cpu_quota_end(const struct cpu_quota *q, struct str *name)
{
	struct str folder = buf_slice(&q->folder);
	struct cpu_quota_count most = { 0 }, now;
	size_t i = 0;

	*name = STR("");
	do {
		now = read_count(folder);
		now.periods -= q->begin[i].periods;
		now.throttled -= q->begin[i].throttled;
		if (now.throttled > most.throttled &&
		    now.throttled <= now.periods) {
			most = now;
			*name = str_skip(folder, q->mount);
		}
	} while (++i < CPU_QUOTA_LEVELS && go_up(&folder, q->mount));
	return most;
}
