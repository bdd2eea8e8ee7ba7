/* unpack.c - what is compressed, read through gzip(1) or zstd(1). */
#include "unpack.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Write all; a filter that has ended wants no more. */
static void
feed_bytes(int to, const char *p, size_t n)
{
	ssize_t done;

	for (; n > 0; n -= (size_t)done, p += done) {
		done = write(to, p, n);
		if (done < 0 && errno != EINTR)
			_exit(1);
		done = done < 0 ? 0 : done;
	}
}

/* The child that writes what was read to the filter, and then the rest. */
static void
feed(int to, int from, struct str was_read)
{
	static char bytes[128 * 1024];
	ssize_t n;

	feed_bytes(to, was_read.p, was_read.len);
	do {
		n = read(from, bytes, sizeof(bytes));
		if (n > 0)
			feed_bytes(to, bytes, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
	_exit(n < 0);
}

/* A descriptor from which the filter can read the input from its start. */
static int
source(struct unpack *u, int fd, struct str was_read)
{
	int fds[2];

	if (lseek(fd, -(off_t)was_read.len, SEEK_CUR) != (off_t)-1)
		return fd;
	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	u->feeder = fork();
	if (u->feeder < 0)
		err(2, "fork");
	if (u->feeder == 0) {
		close(fds[0]);
		feed(fds[1], fd, was_read);
	}
	close(fds[1]);
	close(fd);
	return fds[0];
}

int
unpack_begin(struct unpack *u, const char *name, int fd, struct str was_read,
	     char *filter)
{
	char opt[] = "-dc", *argv[] = { filter, opt, NULL };
	posix_spawn_file_actions_t actions;
	int from = source(u, fd, was_read), fds[2], error;

	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	error = posix_spawnp(&u->child, filter, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0) {
		errno = error;
		err(2, "%s: cannot run %s", name, filter);
	}
	close(fds[1]);
	close(from);
	u->filter = filter;
	return fds[0];
}

static void
reap(const struct unpack *u, int child, const char *name, bool all)
{
	int status;

	if (child <= 0)
		return;
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			err(2, "waitpid");
	}
	/* One that was not read to its end may die of SIGPIPE. */
	if (all && status != 0)
		errx(2, "%s: %s -dc failed", name, u->filter);
}

void
unpack_end(const struct unpack *u, const char *name, bool all)
{
	reap(u, u->feeder, name, all);
	reap(u, u->child, name, all);
}
