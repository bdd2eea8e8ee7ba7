/* vdso.c - the vdso, code that the kernel maps into each process. */
#include "os/vdso.h"

#include "os/proctext.h"
#include "os/readfile.h"
#include "os/sys_error.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

struct vdso_range {
	uint64_t start, end;
};

static void
find_vdso(void *arg, struct str lines)
{
	struct vdso_range *found = arg;
	struct proc_map map;

	while (lines.len > 0) {
		if (proctext_map(str_cut(&lines, '\n'), &map) &&
		    str_eq(map.path, STR("[vdso]")))
			*found = (struct vdso_range){ map.start, map.end };
	}
}

struct str
vdso_image(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct vdso_range found = { 0, 0 };

	if (fd < 0 || !readfile_lines(fd, find_vdso, &found))
		sys_error_check("/proc/self/maps");
	if (fd >= 0)
		close(fd);
	return (struct str){ (const char *)(uintptr_t)found.start,
			     (size_t)(found.end - found.start) };
}

bool
vdso_copy(int64_t pid, struct buf *image)
{
	const size_t most = 1 << 20; /* they have a few pages */
	struct vdso_range found = { 0, 0 };
	struct iovec from, to;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!readfile_lines(fd, find_vdso, &found))
		found.end = found.start;
	close(fd);
	from.iov_base = (void *)(uintptr_t)found.start;
	from.iov_len = to.iov_len = (size_t)(found.end - found.start);
	if (to.iov_len == 0 || to.iov_len > most)
		return false;
	buf_reserve(image, to.iov_len);
	to.iov_base = image->p + image->len;
	if (process_vm_readv((pid_t)pid, &to, 1, &from, 1, 0) !=
	    (ssize_t)to.iov_len)
		return false;
	image->len += to.iov_len;
	return true;
}
