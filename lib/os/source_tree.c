/* source_tree.c - read source files below one folder, and nothing outside. */
#include "os/source_tree.h"

#include "os/readfile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Parts of a path that are looked at, the last ones, and the longest part. */
#define PARTS 32
#define PART 255

int
source_tree_open(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Open a part of a path in a folder, and close the folder. */
static int
open_part(int folder, struct str part, int flags)
{
	char name[PART + 1];
	int fd;

	memcpy(name, part.p, part.len);
	name[part.len] = '\0';
	fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC);
	close(folder);
	return fd;
}

/* Open a path of n parts; -1 if it does not lead to something. */
static int
open_parts(int folder, const struct str *part, size_t n)
{
	int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	size_t i;

	for (i = 0; i + 1 < n && fd >= 0; i++)
		fd = open_part(fd, part[i], O_PATH | O_DIRECTORY);
	/* A FIFO would wait for its writer. */
	return fd < 0 ? -1 : open_part(fd, part[i], O_RDONLY | O_NONBLOCK);
}

static bool
read_regular(int fd, struct buf *out, size_t max)
{
	const size_t start = out->len;
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0 ||
	    (uint64_t)st.st_size > max)
		return false;
	buf_reserve(out, (size_t)st.st_size);
	if (!readfile_at(fd, out->p + start, (size_t)st.st_size, 0))
		return false;
	out->len = start + (size_t)st.st_size;
	return true;
}

/* Split a path: its last parts without ".", and those after the last "..". */
static size_t
split(struct str path, struct str part[PARTS])
{
	struct str one;
	size_t n = 0;

	while (path.len > 0) {
		one = str_cut(&path, '/');
		if (one.len == 0 || str_eq(one, STR(".")))
			continue;
		if (str_eq(one, STR("..")) || one.len > PART ||
		    memchr(one.p, '\0', one.len) != NULL) {
			n = 0;
			continue;
		}
		if (n == PARTS)
			memmove(part, part + 1, --n * sizeof(*part));
		part[n++] = one;
	}
	return n;
}

bool
source_tree_read(int folder, struct str path, struct buf *out, size_t max)
{
	struct str part[PARTS];
	size_t i, n = split(path, part);
	bool good = false;
	int fd;

	for (i = 0; i < n && !good; i++) {
		fd = open_parts(folder, part + i, n - i);
		if (fd < 0)
			continue;
		good = read_regular(fd, out, max);
		close(fd);
	}
	return good;
}
