/* sys_error.c - end the program if a call failed for lack of resources. */
#include "os/sys_error.h"

#include "base/fdname.h"

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
sys_error_check(const char *path)
{
	if (is_outage(errno))
		err(2, "%s", path);
}

void
sys_error_check_fd(int fd)
{
	if (is_outage(errno))
		err(2, "%s", fdname(fd));
}
