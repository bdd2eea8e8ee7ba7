/* jvm.c - has a running JVM write a map of its compiled code. */
#include "jit/jvm.h"

#include "base/mem.h"
#include "jit/jvm_attach.h"
#include "jit/jvm_names.h"
#include "os/clock.h"
#include "os/fd_pass.h"
#include "os/proctext.h"
#include "os/sys_error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Seconds until a request is given up. */
enum { TIMEOUT = 15 };

/* Processes. */

/* Whether any line of a file in /proc/PID passes a test. */
static bool
any_line(int64_t pid, const char *file, bool (*test)(struct str line))
{
	char path[64], *line = NULL;
	bool found = false;
	size_t cap = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/%s", pid, file);
	errno = 0;
	f = fopen(path, "re");
	sys_error_check(path);
	if (f == NULL)
		return false;
	while (!found && (n = getline(&line, &cap, f)) > 0)
		found = test((struct str){ line, (size_t)n - 1 });
	sys_error_check(path);
	free(line);
	fclose(f);
	return found;
}

static bool
maps_libjvm(struct str line)
{
	return str_ends(line, STR("/libjvm.so")) ||
	       str_ends(line, STR("/libjvm.so (deleted)"));
}

/* The launcher is linked with libjli.so and loads libjvm.so later. */
static bool
maps_launcher(struct str line)
{
	return str_ends(line, STR("/libjli.so"));
}

/* OpenJ9 also has a libjvm.so, but writes a dump of all threads on SIGQUIT. */
static bool
maps_openj9(struct str line)
{
	return str_search(line, STR("/libj9vm")) != NULL;
}

/* "SigCgt:	2000000181005ccf": the set of signals with a handler. */
static bool
catches_quit(struct str line)
{
	uint64_t set;

	return str_eq(str_cut(&line, '\t'), STR("SigCgt:")) &&
	       str_hex(line, &set) && (set >> (SIGQUIT - 1) & 1) != 0;
}

/* A stopped JVM would print its stacks when it continues, long after us. */
static bool
is_stopped(struct str line)
{
	return str_starts(line, STR("State:\tT")) ||
	       str_starts(line, STR("State:\tt"));
}

bool
jvm_is(int64_t pid)
{
	return any_line(pid, "maps", maps_libjvm) &&
	       !any_line(pid, "maps", maps_openj9) &&
	       any_line(pid, "status", catches_quit) &&
	       !any_line(pid, "status", is_stopped);
}

/* A process younger than 0.2 s may still be the shell that executes a JVM. */
static bool
is_new(int64_t pid)
{
	const uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK),
		       tenth = 100000000;
	struct proc_stat stat;
	char text[1024];
	bool is = false;
	FILE *f;

	snprintf(text, sizeof(text), "/proc/%" PRId64 "/stat", pid);
	f = fopen(text, "re");
	sys_error_check(text);
	if (f == NULL)
		return false;
	if (proctext_stat((struct str){ text, fread(text, 1, sizeof(text), f) },
			  &stat))
		is = clock_ns(CLOCK_BOOTTIME) / tenth <
		     stat.start * 10 / ticks + 2;
	fclose(f);
	return is;
}

bool
jvm_may_be(int64_t pid)
{
	return jvm_is(pid) || is_new(pid) ||
	       any_line(pid, "maps", maps_launcher) ||
	       any_line(pid, "maps", maps_libjvm);
}

/* How a request ended. */
enum { DONE = 'd', FAILED = 'f' };

/* Write what remains of an answer, and how the request ended. */
static void
end_request(const char *why, int answer, int status)
{
	const char how = why == NULL ? DONE : FAILED;

	/* A part of the map may be there. */
	if (why != NULL && (ftruncate(answer, 0) != 0 ||
			    pwrite(answer, why, strlen(why), 0) < 0))
		return;
	if (write(status, &how, 1) < 0)
		return;
}

/* Load the agent or, if it is NULL, write the map; or why that failed. */
static void
run_child(int64_t pid, int process, const struct jvm_agent *agent,
	  const int fd[2])
{
	const char *why;

	signal(SIGALRM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	alarm(TIMEOUT);
	why = agent == NULL ? jvm_attach_map(pid, process, fd[0]) :
			      jvm_attach_load(pid, process, agent);
	end_request(why, fd[0], fd[1]);
	_exit(0);
}

/*
 * Requests.  A request has a file without a name for the answer, and a pipe, to
 * which the status of the child is written.
 */

struct jvm_request {
	int answer, status;
};

/* Make the request in a child; NULL, or the reason of a failure. */
static const char *
start_child(int64_t pid, const struct jvm_agent *agent, const int fd[2])
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	const char *why = NULL;
	pid_t child;

	if (process < 0 || !jvm_is(pid))
		why = "it is not a JVM that supports jcmd";
	else if ((child = fork()) == 0)
		run_child(pid, process, agent, fd);
	else if (child < 0)
		why = strerror(errno);
	if (process >= 0)
		close(process);
	return why;
}

/* The broker: reads process ids, each with the descriptors of a request. */
static int broker = -1;

static void
serve(int socket)
{
	const char *why;
	int64_t pid;
	int fd[2];

	/* A terminal sends these to the whole group; the last maps are read
	 * after that.
	 */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	while (fd_pass_receive(socket, &pid, sizeof(pid), fd, 2)) {
		why = start_child(pid, NULL, fd);
		if (why != NULL)
			end_request(why, fd[0], fd[1]);
		close(fd[0]);
		close(fd[1]);
	}
	_exit(0);
}

bool
jvm_broker_start(void)
{
	int fds[2];
	pid_t child;

	if (!fd_pass_pair(fds))
		return false;
	child = fork();
	if (child == 0) {
		close(fds[0]);
		serve(fds[1]);
	}
	close(fds[1]);
	broker = fds[0];
	return child > 0;
}

static const char *
start(int64_t pid, const struct jvm_agent *agent, const int fd[2])
{
	if (broker < 0 || agent != NULL)
		return start_child(pid, agent, fd);
	return fd_pass_send(broker, &pid, sizeof(pid), fd, 2) ?
		   NULL :
		   "the helper process for JVMs has ended";
}

static struct jvm_request *
start_request(int64_t pid, const struct jvm_agent *agent, struct buf *why)
{
	const int answer = memfd_create("map", MFD_CLOEXEC);
	struct jvm_request *r = NULL;
	const char *reason;
	int status[2];

	if (answer < 0 || pipe2(status, O_CLOEXEC) != 0) {
		buf_str(why, str_of(strerror(errno)));
		if (answer >= 0)
			close(answer);
		return NULL;
	}
	reason = start(pid, agent, (int[]){ answer, status[1] });
	close(status[1]);
	if (reason == NULL) {
		r = mem_zero(1, sizeof(*r));
		*r = (struct jvm_request){ answer, status[0] };
		return r;
	}
	buf_str(why, str_of(reason));
	close(answer);
	close(status[0]);
	return NULL;
}

struct jvm_request *
jvm_map_start(int64_t pid, struct buf *why)
{
	return start_request(pid, NULL, why);
}

struct jvm_request *
jvm_load_start(int64_t pid, const char *library, const char *options,
	       struct buf *why)
{
	const struct jvm_agent agent = { library, options };

	return start_request(pid, &agent, why);
}

bool
jvm_map_ready(struct jvm_request *r)
{
	struct pollfd p = { .fd = r->status, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

/* Append a file, from its beginning. */
static void
read_all(int fd, struct buf *text)
{
	const size_t room = 1 << 16;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	do {
		buf_reserve(text, room);
		n = read(fd, text->p + text->len, room);
		text->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
}

/* Wait for the answer, append it, and free the request. */
static bool
finish(struct jvm_request *r, struct buf *text, struct buf *why)
{
	char status = '\0';
	ssize_t n;

	do
		n = read(r->status, &status, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		read_all(r->answer, status == DONE ? text : why);
	else
		buf_str(why, STR("it does not answer"));
	close(r->answer);
	close(r->status);
	free(r);
	return n == 1 && status == DONE;
}

bool
jvm_map_finish(struct jvm_request *r, struct buf *map, struct buf *why)
{
	struct buf text = { 0 };
	const bool ok = finish(r, &text, why);

	jvm_names_convert(buf_slice(&text), map);
	buf_free(&text);
	return ok;
}

bool
jvm_load_finish(struct jvm_request *r, struct buf *why)
{
	struct buf text = { 0 };
	const bool ok = finish(r, &text, why);

	buf_free(&text);
	return ok;
}

bool
jvm_map(int64_t pid, struct buf *map, struct buf *why)
{
	struct jvm_request *r = jvm_map_start(pid, why);

	return r != NULL && jvm_map_finish(r, map, why);
}
