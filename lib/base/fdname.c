/* fdname.c - path of an open file, for messages. */
#include "base/fdname.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

const char *
fdname(int fd)
{
	static char path[PATH_MAX];
	const int error = errno;
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	errno = error;
	if (n <= 0)
		return "a file";
	path[n] = '\0';
	return path;
}
