/* jitfiles.c - file names of jitdumps and perf maps. */
#include "jit/jitfiles.h"

#include "base/buf.h"
#include "os/sys_error.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* perf's agent for JVMs puts dumps three folders deep. */
enum { LEVELS = 4 };

static int64_t
pid_between(struct str path, struct str begin, struct str end)
{
	struct str name = str_basename(path);
	uint64_t pid;

	if (!str_starts(name, begin) || !str_ends(name, end) ||
	    name.len < begin.len + end.len)
		return -1;
	name = str_skip(name, begin.len);
	name.len -= end.len;
	return str_u64(name, &pid) && pid <= INT32_MAX ? (int64_t)pid : -1;
}

/*
 * JavaScriptCore writes jit-TID-PID.dump, and later versions (bun 1.4)
 * jit-TID-PID-XXXXXX, where the last part is that of mkstemp(3).
 */
static int64_t
webkit_pid(struct str path)
{
	enum { RANDOM = 6 };
	struct str name = str_basename(path), tid, pid;
	uint64_t n;

	if (!str_starts(name, STR("jit-")))
		return -1;
	name = str_skip(name, 4);
	tid = str_cut(&name, '-');
	pid = str_cut(&name, str_ends(name, STR(".dump")) ? '.' : '-');
	if (!str_u64(tid, &n) || !str_u64(pid, &n) || n > INT32_MAX ||
	    (!str_eq(name, STR("dump")) && name.len != RANDOM))
		return -1;
	return (int64_t)n;
}

int64_t
jitfiles_dump_pid(struct str path)
{
	const int64_t pid = pid_between(path, STR("jit-"), STR(".dump"));

	return pid >= 0 ? pid : webkit_pid(path);
}

int64_t
jitfiles_map_pid(struct str path)
{
	return pid_between(path, STR("perf-"), STR(".map"));
}

struct dump_search {
	void (*found)(void *arg, const char *path, bool shared);
	void *arg;
	struct buf path; /* the folder, no NUL */
};

static void search_folder(struct dump_search *s, bool shared, int level);

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Whether other users than we and root can put files into a folder. */
static bool
is_shared(const struct stat *st)
{
	return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
	       (st->st_uid != geteuid() && st->st_uid != 0);
}

/* Use a file of the folder s->path, or search a folder in it. */
static void
search_entry(struct dump_search *s, const char *name, bool shared, int level)
{
	size_t before = s->path.len;
	struct stat st;

	buf_printf(&s->path, "/%s", name);
	buf_char(&s->path, '\0');
	if (jitfiles_dump_pid(str_of(name)) >= 0) {
		s->found(s->arg, s->path.p, shared);
	} else if (level < LEVELS && lstat(s->path.p, &st) == 0 &&
		   S_ISDIR(st.st_mode)) {
		s->path.len--;
		search_folder(s, shared || is_shared(&st), level + 1);
	}
	s->path.len = before;
}

static void
search_folder(struct dump_search *s, bool shared, int level)
{
	struct dirent **list;
	int i, n;

	buf_char(&s->path, '\0');
	s->path.len--;
	n = scandir(s->path.p, &list, NULL, by_name);
	if (n < 0)
		sys_error_check(s->path.p);
	for (i = 0; i < n; i++) {
		if (strcmp(list[i]->d_name, ".") != 0 &&
		    strcmp(list[i]->d_name, "..") != 0)
			search_entry(s, list[i]->d_name, shared, level);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

bool
jitfiles_search(const char *folder,
		void (*found)(void *arg, const char *path, bool shared),
		void *arg)
{
	struct dump_search s = { found, arg, { 0 } };
	struct stat st;

	if (stat(folder, &st) != 0 || access(folder, R_OK | X_OK) != 0)
		return false;
	buf_str(&s.path, str_of(folder));
	search_folder(&s, is_shared(&st), 0);
	buf_free(&s.path);
	return true;
}
