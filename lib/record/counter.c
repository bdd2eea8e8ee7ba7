/* counter.c - one event of the kernel: perf_event_open(2). */
#include "record/counter.h"

#include "perfdata/perfabi.h"

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Flags of the call, and requests to an event; linux/perf_event.h. */
enum { OPEN_CGROUP = 1 << 2, OPEN_CLOEXEC = 1 << 3 };

#define REQUEST_DISABLE _IO('$', 1)
#define REQUEST_PERIOD _IOW('$', 4, uint64_t)
#define REQUEST_SET_OUTPUT _IO('$', 5)
#define REQUEST_ID _IOR('$', 7, uint64_t *)

_Static_assert(sizeof(struct counter_attr) == 128, "PERF_ATTR_SIZE_VER7");

/* On a big-endian machine, the first flag is the highest bit. */
struct counter_attr
counter_native(struct counter_attr attr)
{
	const uint64_t precise = attr.flags >> PERF_ATTR_PRECISE_SHIFT & 3;
	uint64_t flags = 0;
	int i;

	attr.size = sizeof(attr);
	if (__BYTE_ORDER == __LITTLE_ENDIAN)
		return attr;
	attr.flags &= ~(UINT64_C(3) << PERF_ATTR_PRECISE_SHIFT);
	attr.flags |= (precise >> 1 | (precise & 1) << 1)
		      << PERF_ATTR_PRECISE_SHIFT;
	for (i = 0; i < 64; i++)
		flags |= (attr.flags >> i & 1) << (63 - i);
	attr.flags = flags;
	return attr;
}

static int
call(const struct counter_attr *attr, int64_t pid, int cpu, int leader,
     unsigned long flags)
{
	struct counter_attr native = counter_native(*attr);

	return (int)syscall(SYS_perf_event_open, &native, (pid_t)pid, cpu,
			    leader, flags);
}

int
counter_open(const struct counter_attr *attr, int64_t pid, int cpu, int leader)
{
	return call(attr, pid, cpu, leader, OPEN_CLOEXEC);
}

int
counter_open_cgroup(const struct counter_attr *attr, int cgroup, int cpu,
		    int leader)
{
	return call(attr, cgroup, cpu, leader, OPEN_CLOEXEC | OPEN_CGROUP);
}

/*
 * The kernel reads the attr before it checks rights.  Only the patch of Debian
 * and Ubuntu for perf_event_paranoid above 2 comes first, with EACCES.
 */
bool
counter_allowed(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) >= 0 ||
	       (errno != EPERM && errno != ENOSYS);
}

bool
counter_id(int fd, uint64_t *id)
{
	return ioctl(fd, REQUEST_ID, id) == 0;
}

bool
counter_redirect(int fd, int to)
{
	return ioctl(fd, REQUEST_SET_OUTPUT, to) == 0;
}

void
counter_disable(int fd)
{
	ioctl(fd, REQUEST_DISABLE, 0);
}

bool
counter_set_rate(int fd, uint64_t rate)
{
	return ioctl(fd, REQUEST_PERIOD, &rate) == 0;
}

uint64_t
counter_value(int fd)
{
	uint64_t value[2] = { 0, 0 };

	return read(fd, value, sizeof(value)) >= (ssize_t)sizeof(*value) ?
		   value[0] :
		   0;
}

uint64_t
counter_lost(int fd)
{
	uint64_t value[2] = { 0, 0 }; /* the count; PERF_FORMAT_LOST */

	return read(fd, value, sizeof(value)) == sizeof(value) ? value[1] : 0;
}
