/* trust.c - files that say what code is called, in places open to anyone. */
#include "trust.h"

#include "outage.h"
#include "rights.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A hole costs nobody anything but who reads it, and may be larger than all
 * memory; what a JIT writes has none.
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

/* Whether a file is what it should be; else with a reason. */
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
	if (trust == TRUST_OWNER && st.st_uid != owner &&
	    st.st_uid != geteuid() && st.st_uid != 0) {
		*why = "it belongs to another user";
		return false;
	}
	if (trust == TRUST_OWNER && has_holes(fd, &st)) {
		errno = 0;
		*why = "it has holes";
		return false;
	}
	return true;
}

int
trust_open(const char *path, enum trust trust, uint32_t owner, const char **why)
{
	/* A FIFO must not keep us waiting, nor a terminal become ours. */
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd, reason;

	fd = open(path, trust == TRUST_OWNER ? flags | O_NOFOLLOW : flags);
	if (fd < 0) {
		outage_check(path);
		*why = strerror(errno);
		if (errno == ELOOP && trust == TRUST_OWNER) {
			*why = "it is a symbolic link";
			errno = 0;
		}
		return -1;
	}
	if (!is_trusted(fd, trust, owner, why)) {
		reason = errno;
		close(fd);
		errno = reason;
		return -1;
	}
	return fd;
}

uint32_t
trust_owner(int64_t pid)
{
	char path[64];
	struct stat st;

	if (geteuid() != 0 && !rights_to_look())
		return geteuid();
	snprintf(path, sizeof(path), "/proc/%" PRId64, pid);
	return stat(path, &st) == 0 ? st.st_uid : 0;
}
