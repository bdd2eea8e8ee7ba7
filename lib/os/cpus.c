/*
 * cpus.c - how many CPUs this process may use.
 *
 * cpu.max of a cgroup, "QUOTA PERIOD" in microseconds or "max PERIOD", is
 * described in the kernel's Documentation/admin-guide/cgroup-v2.rst.
 */
#include "os/cpus.h"

#include "base/buf.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

/* Read the beginning of a small file. */
static struct str
read_start(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size);

	if (fd >= 0)
		close(fd);
	return (struct str){ text, n < 0 ? 0 : (size_t)n };
}

/* The CPUs that the quota of a cgroup allows; most if it has none. */
static unsigned
cgroup_cpus(struct str cgroup, unsigned most)
{
	struct buf path = { 0 };
	char text[64];
	struct str rest, word;
	uint64_t quota, period;

	buf_printf(&path, "/sys/fs/cgroup%.*s/cpu.max", (int)cgroup.len,
		   cgroup.p);
	buf_char(&path, '\0');
	rest = read_start(path.p, text, sizeof(text));
	buf_free(&path);
	word = str_cut(&rest, ' ');
	if (!str_u64(word, &quota) || !str_u64(str_trim(rest), &period) ||
	    period == 0)
		return most;
	quota = (quota + period - 1) / period;
	return quota < 1 ? 1 : quota < most ? (unsigned)quota : most;
}

static unsigned
affine_cpus(void)
{
	cpu_set_t set;

	/* It fails on machines with more CPUs than the set has bits. */
	return sched_getaffinity(0, sizeof(set), &set) == 0 ?
		   (unsigned)CPU_COUNT(&set) :
		   CPU_SETSIZE;
}

/* The cgroup in "0::/a/b"; "/" if there is none. */
static struct str
own_cgroup(char *text, size_t size)
{
	struct str rest = read_start("/proc/self/cgroup", text, size), line;

	while (rest.len > 0) {
		line = str_cut(&rest, '\n');
		if (str_starts(line, STR("0::/")))
			return str_skip(line, 3);
	}
	return STR("/");
}

unsigned
cpus_usable(void)
{
	unsigned n = affine_cpus();
	char text[4096];
	struct str cgroup = own_cgroup(text, sizeof(text));

	/* The quota of each ancestor holds as well. */
	for (;;) {
		n = cgroup_cpus(cgroup, n);
		while (cgroup.len > 0 && cgroup.p[cgroup.len - 1] != '/')
			cgroup.len--;
		if (cgroup.len == 0)
			return n > 0 ? n : 1;
		cgroup.len--;
	}
}

unsigned
cpus_fit(unsigned threads)
{
	const rlim_t each = (rlim_t)128 << 20;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / each >= threads)
		return threads;
	return limit.rlim_cur < each ? 1 : (unsigned)(limit.rlim_cur / each);
}
