/* decompress.c - decompress an input through gzip(1) or zstd(1). */
#include "io/decompress.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Write all bytes; exit if the filter has ended. */
static void
write_bytes(int to, const char *p, size_t n)
{
	ssize_t done;

	for (; n > 0; n -= (size_t)done, p += done) {
		done = write(to, p, n);
		if (done < 0 && errno != EINTR)
			_exit(1);
		done = done < 0 ? 0 : done;
	}
}

/* The child: pass the head and then the rest to the filter. */
static void
feed(int to, int from, struct str head)
{
	static char bytes[128 * 1024];
	ssize_t n;

	write_bytes(to, head.p, head.len);
	do {
		n = read(from, bytes, sizeof(bytes));
		if (n > 0)
			write_bytes(to, bytes, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	_exit(n < 0);
}

/* A descriptor from which the filter can read the data from the start. */
static int
from_start(struct decompress *d, int fd, struct str head)
{
	int fds[2];

	if (lseek(fd, -(off_t)head.len, SEEK_CUR) != (off_t)-1)
		return fd;
	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	d->feeder = fork();
	if (d->feeder < 0)
		err(2, "fork");
	if (d->feeder == 0) {
		close(fds[0]);
		feed(fds[1], fd, head);
	}
	close(fds[1]);
	close(fd);
	return fds[0];
}

int
decompress_begin(struct decompress *d, const char *name, int fd,
		 struct str head, char *filter)
{
	char opt[] = "-dc", *argv[] = { filter, opt, NULL };
	posix_spawn_file_actions_t actions;
	int from = from_start(d, fd, head), fds[2], error;

	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	error = posix_spawnp(&d->child, filter, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0) {
		errno = error;
		err(2, "%s: cannot run %s", name, filter);
	}
	close(fds[1]);
	close(from);
	d->filter = filter;
	return fds[0];
}

static void
reap(const struct decompress *d, int child, const char *name, bool all)
{
	int status;

	if (child <= 0)
		return;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			err(2, "waitpid");
	}
	/* If its output was not read to the end, SIGPIPE may have killed it. */
	if (all && status != 0)
		errx(2, "%s: %s -dc failed", name, d->filter);
}

void
decompress_end(const struct decompress *d, const char *name, bool all)
{
	reap(d, d->feeder, name, all);
	reap(d, d->child, name, all);
}
