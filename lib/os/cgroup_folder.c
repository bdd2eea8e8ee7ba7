/* cgroup_folder.c - find the cgroup of a container, by its path or its id. */
#include "os/cgroup_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Containers lie at most so deep, and ids have at least so many digits. */
enum { DEEPEST = 12, LEAST_DIGITS = 4 };

/*
 * Events belong to the hierarchy of perf_event if cgroups of version 1 have
 * one, else to the tree of version 2.
 */
static const char *
find_root(void)
{
	static const struct {
		const char *path;
		unsigned long magic;
	} roots[] = {
		{ "/sys/fs/cgroup/perf_event", CGROUP_SUPER_MAGIC },
		{ "/sys/fs/cgroup", CGROUP2_SUPER_MAGIC },
		{ "/sys/fs/cgroup/unified", CGROUP2_SUPER_MAGIC },
	};
	struct statfs fs;
	size_t i;

	for (i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		if (statfs(roots[i].path, &fs) == 0 &&
		    (unsigned long)fs.f_type == roots[i].magic)
			return roots[i].path;
	}
	return NULL;
}

static int
open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int
open_below(const char *root, const char *name)
{
	struct buf path = { 0 };
	int fd;

	buf_printf(&path, "%s/%s", root, name);
	buf_char(&path, '\0');
	fd = open_folder(path.p);
	buf_free(&path);
	return fd;
}

/*
 * Whether a folder is that of a container: "ID", "docker-ID.scope",
 * "cri-containerd-ID.scope".  The id of podman's monitor is its container's.
 */
static bool
is_container(struct str folder, struct str id)
{
	struct str rest = folder;

	if (str_search(folder, STR("conmon")) != NULL)
		return false;
	while (rest.len > 0) {
		if (str_starts(rest, id))
			return true;
		str_cut(&rest, '-');
	}
	return false;
}

static bool
is_id(struct str s)
{
	size_t i;

	for (i = 0; i < s.len && str_hexdigit(s.p[i]) >= 0; i++)
		continue;
	return i == s.len && i >= LEAST_DIGITS;
}

/*
 * Append the path of the only container with an id, and a NUL; returns how many
 * there are.
 */
static unsigned
find_container(const char *root, struct str id, struct buf *path)
{
	char *start = strdup(root), *paths[] = { start, NULL };
	FTS *tree = start != NULL ?
			fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) :
			NULL;
	unsigned n = 0;
	FTSENT *e;

	while (tree != NULL && (e = fts_read(tree)) != NULL) {
		if (e->fts_info != FTS_D || e->fts_level == 0)
			continue;
		if (e->fts_level >= DEEPEST)
			fts_set(tree, e, FTS_SKIP);
		if (!is_container(str_of(e->fts_name), id))
			continue;
		/* What lies in it is its own. */
		fts_set(tree, e, FTS_SKIP);
		path->len = 0;
		buf_str(path, str_of(e->fts_path));
		buf_char(path, '\0');
		n++;
	}
	if (tree != NULL)
		fts_close(tree);
	free(start);
	return n;
}

static int
open_container(const char *root, const char *name, struct buf *why)
{
	struct buf path = { 0 };
	const unsigned n = find_container(root, str_of(name), &path);
	int fd = -1;

	if (n == 1)
		fd = open_folder(path.p);
	if (n == 0)
		buf_printf(why,
			   "%s: no cgroup below %s has this path, and no "
			   "container this id",
			   name, root);
	else if (n > 1)
		buf_printf(
		    why,
		    "%s: ambiguous: %u containers have ids with this prefix",
		    name, n);
	else if (fd < 0)
		buf_printf(why, "%s: %s", path.p, strerror(errno));
	buf_free(&path);
	return fd;
}

int
cgroup_folder_open(const char *name, struct buf *why)
{
	const char *root = find_root();
	int fd;

	if (root == NULL) {
		buf_printf(why, "no cgroups are mounted on /sys/fs/cgroup");
		return -1;
	}
	fd = str_starts(str_of(name), str_of(root)) ? open_folder(name) :
						      open_below(root, name);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT && is_id(str_of(name)))
		return open_container(root, name, why);
	if (errno == ENOENT)
		buf_printf(why, "%s: no cgroup below %s has this path", name,
			   root);
	else
		buf_printf(why, "%s: %s", name, strerror(errno));
	return -1;
}
