/* thread_state.c - the state of a thread, read from /proc without stopping it.
 */
#include "sampler/thread_state.h"

#include "sampler/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Descriptors that are reserved for other files. */
enum { RESERVED = 64 };

/* Read an open file from its start. */
static bool
read_open(int fd, char *text, size_t size, struct str *s)
{
	ssize_t n = pread(fd, text, size, 0);

	if (n <= 0) {
		/* For a thread that has ended: ESRCH, or an empty file. */
		if (n == 0)
			errno = ESRCH;
		return false;
	}
	*s = (struct str){ text, (size_t)n };
	return true;
}

static int
open_file(const struct thread_state_files *f, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/%s",
		 f->pid, f->tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A file of a thread: its descriptor, or -1, and its name. */
struct thread_file {
	int *fd;
	const char *name;
	/* All threads have descriptors of files that are read more often. */
	bool is_secondary;
};

static bool
may_stay_open(const struct thread_file *file, int fd)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return false;
	return (rlim_t)fd + RESERVED <
	       (file->is_secondary ? limit.rlim_cur / 2 : limit.rlim_cur);
}

/*
 * Read a file.  If it is not open, open it, and leave it open if enough
 * descriptors are free.
 */
static bool
read_file(const struct thread_state_files *f, const struct thread_file *file,
	  char *text, size_t size, struct str *s)
{
	int fd = *file->fd >= 0 ? *file->fd : open_file(f, file->name), error;
	bool ok;

	if (fd < 0)
		return false;
	ok = read_open(fd, text, size, s);
	if (*file->fd >= 0)
		return ok;
	if (ok && may_stay_open(file, fd)) {
		*file->fd = fd;
		return ok;
	}
	error = errno;
	close(fd);
	errno = error;
	return ok;
}

void
thread_state_open(struct thread_state_files *f, int64_t pid, int64_t tid)
{
	*f = (struct thread_state_files){ pid, tid, -1, -1, -1, -1 };
}

void
thread_state_close(struct thread_state_files *f)
{
	const int fd[] = { f->schedstat, f->syscall, f->stat, f->wchan };
	size_t i;

	for (i = 0; i < sizeof(fd) / sizeof(*fd); i++) {
		if (fd[i] >= 0)
			close(fd[i]);
	}
	f->schedstat = f->syscall = f->stat = f->wchan = -1;
}

/* The run count by context switches. */
static bool
read_switches(const struct thread_state_files *f, uint64_t *run_count)
{
	static const char *const keys[] = { "voluntary_ctxt_switches",
					    "nonvoluntary_ctxt_switches" };
	struct buf text = { 0 };
	struct str value;
	uint64_t n;
	int i;

	*run_count = 0;
	for (i = 0; i < 2; i++) {
		if (!procfile_read_thread(&text, f->pid, f->tid, "status") ||
		    !proctext_status(buf_slice(&text), str_of(keys[i]),
				     &value) ||
		    !str_u64(value, &n))
			break;
		*run_count += n;
	}
	buf_free(&text);
	return i == 2;
}

static bool
read_run_count(struct thread_state_files *f, enum thread_state_counter counter,
	       struct proc_schedstat *schedstat)
{
	const struct thread_file file = { &f->schedstat, "schedstat", false };
	char text[128];
	struct str s;

	if (counter == THREAD_STATE_SWITCHES)
		return read_switches(f, &schedstat->runs);
	return read_file(f, &file, text, sizeof(text), &s) &&
	       proctext_schedstat(s, schedstat);
}

/* Whether the thread has exited, and only its parent has not noticed. */
static bool
has_exited(struct thread_state_files *f)
{
	char text[THREAD_STATE_TEXT];
	struct proc_stat stat;

	return thread_state_stat(f, text, &stat) &&
	       (stat.state == 'Z' || stat.state == 'X');
}

static bool
read_call(struct thread_state_files *f, struct proc_call *call)
{
	const struct thread_file file = { &f->syscall, "syscall", false };
	char text[256];
	struct str s;
	int error;

	if (read_file(f, &file, text, sizeof(text), &s))
		return proctext_call(s, call);
	error = errno;
	/* Only root may read the file of a thread without memory. */
	errno = (error == EPERM || error == EACCES) && has_exited(f) ? ESRCH :
								       error;
	return false;
}

bool
thread_state_update(struct thread_state_files *f,
		    enum thread_state_counter counter,
		    struct thread_state *state)
{
	struct proc_schedstat schedstat = { 0 };
	bool runs_still;

	if (counter != THREAD_STATE_NONE &&
	    !read_run_count(f, counter, &schedstat))
		return false;
	/* The kernel adds to the time as a thread begins to wait, too. */
	runs_still = counter == THREAD_STATE_SCHEDSTAT && state->call.running &&
		     state->run_count == schedstat.runs &&
		     state->ran == schedstat.ran;
	state->run_count = schedstat.runs;
	state->ran = schedstat.ran;
	state->queued = schedstat.queued;
	if (runs_still)
		return true;
	state->call = (struct proc_call){ .number = -1 };
	return read_call(f, &state->call);
}

bool
thread_state_read(struct thread_state_files *f,
		  enum thread_state_counter counter, struct thread_state *state)
{
	*state = (struct thread_state){ 0 };
	return thread_state_update(f, counter, state);
}

bool
thread_state_unchanged(struct thread_state_files *f,
		       enum thread_state_counter counter,
		       const struct thread_state *state)
{
	struct proc_schedstat schedstat;
	struct proc_call call;

	if (counter == THREAD_STATE_NONE)
		return false;
	/* A thread that still runs has not been counted yet. */
	if (counter == THREAD_STATE_SWITCHES &&
	    (!read_call(f, &call) || call.running || call.sp != state->call.sp))
		return false;
	return read_run_count(f, counter, &schedstat) &&
	       schedstat.runs == state->run_count;
}

bool
thread_state_stat(struct thread_state_files *f, char text[THREAD_STATE_TEXT],
		  struct proc_stat *stat)
{
	const struct thread_file file = { &f->stat, "stat", true };
	struct str s;

	return read_file(f, &file, text, THREAD_STATE_TEXT, &s) &&
	       proctext_stat(s, stat);
}

struct str
thread_state_wchan(struct thread_state_files *f, char text[THREAD_STATE_TEXT])
{
	const struct thread_file file = { &f->wchan, "wchan", true };
	struct str s;

	if (!read_file(f, &file, text, THREAD_STATE_TEXT, &s) ||
	    str_eq(s, STR("0")))
		return STR("");
	return s;
}

bool
thread_state_is_socket(const struct thread_state_files *f, uint64_t fd)
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

/* Whether our own run count grows when we sleep. */
static bool
grows(struct thread_state_files *f, enum thread_state_counter counter)
{
	const struct timespec millisecond = { 0, 1000000 };
	struct proc_schedstat before, after;

	if (!read_run_count(f, counter, &before))
		return false;
	nanosleep(&millisecond, NULL);
	return read_run_count(f, counter, &after) && after.runs > before.runs;
}

enum thread_state_counter
thread_state_counter(void)
{
	enum thread_state_counter counter = THREAD_STATE_SCHEDSTAT;
	struct thread_state_files self;

	thread_state_open(&self, getpid(), getpid());
	while (counter < THREAD_STATE_NONE && !grows(&self, counter))
		counter++;
	thread_state_close(&self);
	return counter;
}
