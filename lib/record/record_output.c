/* record_output.c - write a recording to a file, or to a pipe that is slow. */
#include "record/record_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A pipe may have other writers, to whom its flags belong as well: open it once
 * more, so that only our writes do not wait.
 */
static void
open_own(struct record_output *o)
{
	char path[32];
	struct stat st;
	int fd;

	if (fstat(o->fd, &st) != 0 || !S_ISFIFO(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", o->fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	o->fd = fd;
	o->own = true;
}

void
record_output_open(struct record_output *o, int fd, int interrupt)
{
	*o = (struct record_output){ .fd = fd, .interrupt = interrupt };
	open_own(o);
}

void
record_output_close(struct record_output *o)
{
	if (o->own)
		close(o->fd);
	o->own = false;
}

/* Wait for room in a pipe; false if that was interrupted. */
static bool
wait_for_room(const struct record_output *o)
{
	struct pollfd p[] = { { .fd = o->fd, .events = POLLOUT },
			      { .fd = o->interrupt, .events = POLLIN } };

	return (poll(p, 2, -1) >= 0 || errno == EINTR) && p[1].revents == 0;
}

bool
record_output_write(struct record_output *o, struct buf *out, size_t may_wait)
{
	size_t done = 0;
	ssize_t n;

	while (done < out->len && o->error == 0) {
		n = write(o->fd, out->p + done, out->len - done);
		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN) {
			if (out->len - done <= may_wait || !wait_for_room(o))
				break;
		} else if (errno != EINTR)
			o->error = errno;
	}
	o->bytes += done;
	out->len -= done;
	if (done > 0)
		memmove(out->p, out->p + done, out->len);
	if (o->error != 0)
		out->len = 0;
	return o->error == 0;
}
