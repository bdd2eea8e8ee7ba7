/* refusal.c - why the kernel refused an event, and what to do about it. */
#include "record/refusal.h"

#include "os/proctext.h"
#include "record/counter.h"
#include "sampler/procfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

int
refusal_paranoid(void)
{
	struct buf text = { 0 };
	int value = 2;

	if (procfile_read(&text, "/proc/sys/kernel/perf_event_paranoid")) {
		buf_char(&text, '\0');
		value = (int)strtol(text.p, NULL, 10);
	}
	buf_free(&text);
	return value;
}

/* Whether a filter of seccomp(2) restricts this process. */
static bool
is_filtered(void)
{
	struct buf text = { 0 };
	struct str mode = { 0 };
	bool filtered;

	filtered = procfile_read(&text, "/proc/self/status") &&
		   proctext_status(buf_slice(&text), STR("Seccomp"), &mode) &&
		   str_eq(mode, STR("2"));
	buf_free(&text);
	return filtered;
}

static void
explain_call(struct buf *why, int error)
{
	if (is_filtered())
		buf_printf(why, "a seccomp filter refuses perf_event_open(2): "
				"a container needs a profile that allows it, "
				"or --cap-add PERFMON");
	else
		buf_printf(why,
			   "perf_event_open(2): %s: this kernel has no "
			   "performance events",
			   strerror(error));
}

static bool
is_of_other_user(int64_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%" PRId64, pid);
	return pid > 0 && geteuid() != 0 && stat(path, &st) == 0 &&
	       st.st_uid != geteuid();
}

static void
explain_right(struct buf *why, const struct refusal *r)
{
	const int is = refusal_paranoid();
	const int needed = r->whole_machine ? 0 : 2;

	if (is_of_other_user(r->pid))
		buf_printf(why,
			   "process %" PRId64
			   " belongs to another user: recording it needs root, "
			   "or CAP_PERFMON and CAP_SYS_PTRACE",
			   r->pid);
	else if (is > needed)
		buf_printf(why,
			   "no permission%s: kernel.perf_event_paranoid is %d; "
			   "set it to %d with sysctl(8), or run as root",
			   r->whole_machine ? " for all processes" : "", is,
			   needed);
	else
		buf_printf(
		    why, "no permission: recording needs root or CAP_PERFMON");
}

static void
explain_descriptors(struct buf *why, const struct refusal *r)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	buf_printf(
	    why,
	    "all threads on all CPUs take %zu descriptors, and the limit "
	    "is %ju: raise it with ulimit -n, or record the whole "
	    "machine with -a",
	    r->descriptors, (uintmax_t)limit.rlim_cur);
}

static void
explain_event(struct buf *why, const struct refusal *r)
{
	buf_printf(why, "this machine cannot count ");
	buf_str(why, r->event);
	buf_printf(why, ": try -e cpu-clock");
}

/* ENOTSUPP of the kernel, which has no name outside of it: Linux, uprobes. */
enum { NOT_PROBED = 524 };

static void
explain_probe(struct buf *why, struct str probe)
{
	buf_str(why, probe);
	buf_printf(why, ": the kernel cannot probe this place: no instruction "
			"begins there, or it is one that cannot be replaced; "
			"objdump -d shows where instructions begin");
}

static void
explain_ring(struct buf *why, int error)
{
	if (error == EPERM)
		buf_printf(why, "no memory may be locked for ring buffers: "
				"raise kernel.perf_event_mlock_kb with "
				"sysctl(8), or ulimit -l");
	else
		buf_printf(why, "a ring buffer: %s", strerror(error));
}

void
refusal_explain(struct buf *why, int error, const struct refusal *r)
{
	if (r->ring)
		explain_ring(why, error);
	else if ((error == EPERM || error == EACCES || error == ENOSYS) &&
		 !counter_allowed())
		explain_call(why, error);
	else if (error == EPERM || error == EACCES)
		explain_right(why, r);
	else if (error == EMFILE)
		explain_descriptors(why, r);
	else if (r->probe.len > 0 &&
		 (error == NOT_PROBED || error == ENOEXEC || error == EINVAL))
		explain_probe(why, r->probe);
	else if ((error == ENOENT || error == EOPNOTSUPP || error == ENODEV ||
		  error == EINVAL) &&
		 r->event.len > 0)
		explain_event(why, r);
	else if (error == ESRCH)
		buf_printf(why, "there is no process %" PRId64, r->pid);
	else
		buf_printf(why, "perf_event_open(2): %s", strerror(error));
}
