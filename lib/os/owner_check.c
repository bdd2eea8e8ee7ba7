/* owner_check.c - open symbol files of JIT compilers that can be trusted. */
#include "os/owner_check.h"

#include "os/capabilities.h"
#include "os/sys_error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A file with holes costs its author nothing, but a reader may need more memory
 * than there is.  JIT compilers write files without holes.
 */
static bool
has_holes(int fd, const struct stat *st)
{
	const off_t large = 1 << 26;
	off_t hole;

	if (st->st_size < large)
		return false;
	hole = lseek(fd, 0, SEEK_HOLE);
	lseek(fd, 0, SEEK_SET);
	return hole >= 0 && hole < st->st_size;
}

static bool
is_trusted(int fd, enum trust trust, uint32_t owner, const char **why)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		*why = strerror(errno);
		return false;
	}
	errno = 0;
	if (!S_ISREG(st.st_mode)) {
		*why = "not a regular file";
		return false;
	}
	if (trust == OWNER_CHECK_OWNER && st.st_uid != owner &&
	    st.st_uid != geteuid() && st.st_uid != 0) {
		*why = "it belongs to another user";
		return false;
	}
	if (trust == OWNER_CHECK_OWNER && has_holes(fd, &st)) {
		errno = 0;
		*why = "it has holes";
		return false;
	}
	return true;
}

int
owner_check_open(const char *path, enum trust trust, uint32_t owner,
		 const char **why)
{
	/* Do not wait for a FIFO; do not acquire a controlling terminal. */
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd, saved;

	fd = open(path,
		  trust == OWNER_CHECK_OWNER ? flags | O_NOFOLLOW : flags);
	if (fd < 0) {
		sys_error_check(path);
		*why = strerror(errno);
		if (errno == ELOOP && trust == OWNER_CHECK_OWNER) {
			*why = "it is a symbolic link";
			errno = 0;
		}
		return -1;
	}
	if (!is_trusted(fd, trust, owner, why)) {
		saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

uint32_t
owner_check_owner(int64_t pid)
{
	char path[64];
	struct stat st;

	if (geteuid() != 0 && !capabilities_have_ptrace())
		return geteuid();
	snprintf(path, sizeof(path), "/proc/%" PRId64, pid);
	return stat(path, &st) == 0 ? st.st_uid : 0;
}
