/* look.c - a thread looked at through /proc, without touching it. */
#include "look.h"

#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* What is left of the descriptors for other files. */
enum { SPARE = 64 };

static bool
read_open(int fd, char *text, size_t room, struct str *s)
{
	ssize_t n = pread(fd, text, room, 0);

	if (n <= 0) {
		/* A thread that has ended says so, or nothing. */
		if (n == 0)
			errno = ESRCH;
		return false;
	}
	*s = (struct str){ text, (size_t)n };
	return true;
}

static int
open_file(const struct look_files *f, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/%s",
		 f->pid, f->tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Read a file that may be kept open, at the start. */
static bool
read_file(const struct look_files *f, int *kept, const char *name, char *text,
	  size_t room, struct str *s)
{
	int fd = *kept >= 0 ? *kept : open_file(f, name), error;
	struct rlimit limit;
	bool ok;

	if (fd < 0)
		return false;
	ok = read_open(fd, text, room, s);
	if (*kept >= 0)
		return ok;
	if (ok && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    (rlim_t)fd + SPARE < limit.rlim_cur) {
		*kept = fd;
		return ok;
	}
	error = errno;
	close(fd);
	errno = error;
	return ok;
}

void
look_open(struct look_files *f, int64_t pid, int64_t tid)
{
	*f = (struct look_files){ pid, tid, -1, -1 };
}

void
look_close(struct look_files *f)
{
	if (f->runs >= 0)
		close(f->runs);
	if (f->call >= 0)
		close(f->call);
	f->runs = f->call = -1;
}

/* The value of a key of its "status"; lives in text. */
static bool
find_status(const struct look_files *f, struct buf *text, struct str key,
	    struct str *value)
{
	char path[96];

	snprintf(path, sizeof(path),
		 "/proc/%" PRId64 "/task/%" PRId64 "/status", f->pid, f->tid);
	return target_file(text, path) &&
	       proctext_status(buf_slice(text), key, value);
}

/* How often it gave a CPU back. */
static bool
read_switches(const struct look_files *f, uint64_t *runs)
{
	static const char *const keys[] = { "voluntary_ctxt_switches",
					    "nonvoluntary_ctxt_switches" };
	struct buf text = { 0 };
	struct str value;
	uint64_t n;
	int i;

	*runs = 0;
	for (i = 0; i < 2; i++) {
		if (!find_status(f, &text, str_of(keys[i]), &value) ||
		    !str_u64(value, &n))
			break;
		*runs += n;
	}
	buf_free(&text);
	return i == 2;
}

static bool
read_runs(struct look_files *f, enum look_count count, uint64_t *runs)
{
	char text[128];
	struct str s;

	if (count == LOOK_SWITCHES)
		return read_switches(f, runs);
	return read_file(f, &f->runs, "schedstat", text, sizeof(text), &s) &&
	       proctext_runs(s, runs);
}

static bool
read_call(struct look_files *f, struct proc_call *call)
{
	char text[256];
	struct str s;

	return read_file(f, &f->call, "syscall", text, sizeof(text), &s) &&
	       proctext_call(s, call);
}

bool
look_at(struct look_files *f, enum look_count count, struct look *look)
{
	look->runs = 0;
	return (count == LOOK_NONE || read_runs(f, count, &look->runs)) &&
	       read_call(f, &look->call);
}

bool
look_again(struct look_files *f, enum look_count count, const struct look *look)
{
	struct proc_call call;
	uint64_t runs;

	if (count == LOOK_NONE)
		return false;
	/* What still runs has not been counted yet. */
	if (count == LOOK_SWITCHES &&
	    (!read_call(f, &call) || call.running || call.sp != look->call.sp))
		return false;
	return read_runs(f, count, &runs) && runs == look->runs;
}

bool
look_stat(const struct look_files *f, struct buf *text, struct proc_stat *stat)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/stat",
		 f->pid, f->tid);
	return target_file(text, path) && proctext_stat(buf_slice(text), stat);
}

struct str
look_wchan(const struct look_files *f, struct buf *text)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/wchan",
		 f->pid, f->tid);
	if (!target_file(text, path) || str_eq(buf_slice(text), STR("0")))
		return STR("");
	return buf_slice(text);
}

bool
look_is_socket(const struct look_files *f, uint64_t fd)
{
	char path[96], link[32];
	ssize_t n;

	snprintf(path, sizeof(path),
		 "/proc/%" PRId64 "/task/%" PRId64 "/fd/%" PRIu64, f->pid,
		 f->tid, fd);
	n = readlink(path, link, sizeof(link));
	return n < 0 ||
	       str_starts((struct str){ link, (size_t)n }, STR("socket:"));
}

/* Our own counts, of the only thread there is. */
static bool
grows(struct look_files *f, enum look_count count)
{
	const struct timespec nap = { 0, 1000000 };
	uint64_t before, after;

	if (!read_runs(f, count, &before))
		return false;
	nanosleep(&nap, NULL);
	return read_runs(f, count, &after) && after > before;
}

enum look_count
look_count(void)
{
	enum look_count count = LOOK_SCHEDSTAT;
	struct look_files self;

	look_open(&self, getpid(), getpid());
	while (count < LOOK_NONE && !grows(&self, count))
		count++;
	look_close(&self);
	return count;
}
