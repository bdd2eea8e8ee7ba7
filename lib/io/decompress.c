/* decompress.c - decompress an input through gzip(1) or zstd(1). */
#include "io/decompress.h"

#include "os/sandbox.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static bool unconfined;

void
decompress_unconfined(void)
{
	unconfined = true;
}

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

/* The child: pass the head and then the rest to the filter, and count them. */
static void
feed(int to, int from, struct str head, uint64_t *fed)
{
	static char bytes[128 * 1024];
	ssize_t n;

	*fed = head.len;
	write_bytes(to, head.p, head.len);
	do {
		n = read(from, bytes, sizeof(bytes));
		if (n <= 0)
			continue;
		__atomic_fetch_add(fed, (uint64_t)n, __ATOMIC_RELAXED);
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
	d->fed = mmap(NULL, sizeof(*d->fed), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (d->fed == MAP_FAILED)
		err(2, NULL);
	d->feeder = fork();
	if (d->feeder < 0)
		err(2, "fork");
	if (d->feeder == 0) {
		close(fds[0]);
		feed(fds[1], fd, head, d->fed);
	}
	close(fds[1]);
	close(fd);
	return fds[0];
}

/*
 * The child: become the filter, which may read files and run programs, as its
 * start needs that, and nothing else.  Writes an errno to failed if it cannot.
 */
static void
become_filter(char *filter, int from, int to, int failed)
{
	static const struct sandbox may = { .runs = true };
	char opt[] = "-dc", *argv[] = { filter, opt, NULL };
	int error;

	if (!unconfined)
		sandbox_enter(&may, NULL);
	if (dup2(from, 0) >= 0 && dup2(to, 1) >= 0)
		execvp(filter, argv);
	error = errno;
	_exit(write(failed, &error, sizeof(error)) < 0 ? 126 : 127);
}

/* Start the filter; 0, or an errno. */
static int
start_filter(struct decompress *d, char *filter, int from, int to)
{
	int failed[2], error = 0;
	ssize_t n;

	if (pipe2(failed, O_CLOEXEC) != 0)
		return errno;
	d->child = fork();
	if (d->child < 0)
		return errno;
	if (d->child == 0)
		become_filter(filter, from, to, failed[1]);
	close(failed[1]);
	do
		n = read(failed[0], &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	close(failed[0]);
	return n == sizeof(error) ? error : 0;
}

int
decompress_begin(struct decompress *d, const char *name, int fd,
		 struct str head, char *filter)
{
	int from = from_start(d, fd, head), fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	errno = start_filter(d, filter, from, fds[1]);
	if (errno != 0)
		err(2, "%s: cannot run %s", name, filter);
	close(fds[1]);
	/* Only the filter reads from a pipe, or the feeder would never end. */
	if (d->feeder > 0)
		close(from);
	else
		d->source = from;
	d->filter = filter;
	return fds[0];
}

uint64_t
decompress_taken(const struct decompress *d)
{
	off_t at;

	if (d->fed != NULL)
		return __atomic_load_n(d->fed, __ATOMIC_RELAXED);
	/* The filter shares the position in the file. */
	at = lseek(d->source, 0, SEEK_CUR);
	return at < 0 ? 0 : (uint64_t)at;
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
	if (d->fed != NULL)
		munmap(d->fed, sizeof(*d->fed));
	else if (d->child > 0)
		close(d->source);
	reap(d, d->feeder, name, all);
	reap(d, d->child, name, all);
}
