/* procfile.c - whole files of /proc. */
#include "sampler/procfile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

bool
procfile_read(struct buf *text, const char *path)
{
	const size_t block = 16384;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	text->len = 0;
	if (fd < 0)
		return false;
	do {
		buf_reserve(text, block);
		got = read(fd, text->p + text->len, block);
		text->len += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	close(fd);
	return got == 0;
}

bool
procfile_read_thread(struct buf *text, int64_t pid, int64_t tid,
		     const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/%s",
		 pid, tid, name);
	return procfile_read(text, path);
}
