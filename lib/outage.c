/* outage.c - whether a call failed because of the machine. */
#include "outage.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool
is_outage(int error)
{
	return error == ENOMEM || error == EMFILE || error == ENFILE ||
	       error == EIO;
}

void
outage_check(const char *path)
{
	if (is_outage(errno))
		err(2, "%s", path);
}

void
outage_check_fd(int fd)
{
	char link[64], path[PATH_MAX];
	const int error = errno;
	ssize_t n;

	if (!is_outage(error))
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path));
	errno = error;
	if (n <= 0)
		err(2, "a file");
	err(2, "%.*s", (int)n, path);
}
