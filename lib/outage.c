/* outage.c - whether a call failed because of the machine. */
#include "outage.h"

#include "fdname.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>

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
	if (is_outage(errno))
		err(2, "%s", fdname(fd));
}
