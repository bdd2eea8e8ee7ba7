/* jvm.c - has a running JVM write a map of its compiled code. */
#include "jit/jvm.h"

#include "base/mem.h"
#include "os/capabilities.h"
#include "os/clock.h"
#include "os/container.h"
#include "os/owner_check.h"
#include "os/proctext.h"
#include "os/sys_error.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
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

/*
 * The child process; its functions return NULL, or the reason of a failure.  It
 * speaks the protocol of jcmd: a file /tmp/.attach_pidN and SIGQUIT make the
 * JVM listen at the socket /tmp/.java_pidN.  N is the JVM's PID in its own name
 * space.
 */
struct jvm_session {
	int process; /* a pidfd */
	int64_t pid;
	int socket;                             /* to the JVM */
	char attach[64], listener[64], map[64]; /* file names */
};

static void
name_files(struct jvm_session *t, int64_t own)
{
	snprintf(t->attach, sizeof(t->attach), "/tmp/.attach_pid%" PRId64, own);
	snprintf(t->listener, sizeof(t->listener), "/tmp/.java_pid%" PRId64,
		 own);
	snprintf(t->map, sizeof(t->map), "/tmp/perf-%" PRId64 ".map", own);
}

/* Take on the JVM's files and user, so that it gains nothing by deceiving us.
 */
static const char *
enter(const struct jvm_session *t)
{
	struct container c = { 0 };
	char path[64];
	struct stat st;
	bool foreign;

	snprintf(path, sizeof(path), "/proc/%" PRId64, t->pid);
	if (stat(path, &st) != 0)
		return "it is gone";
	container_root(&c, t->pid, 0, &foreign);
	if (geteuid() != 0) {
		if (st.st_uid != geteuid())
			return "it belongs to another user";
		return foreign ? "only root can enter its container" : NULL;
	}
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/root", t->pid);
	if (chdir(path) != 0 || chroot(".") != 0 || setgroups(0, NULL) != 0 ||
	    setresgid(st.st_gid, st.st_gid, st.st_gid) != 0 ||
	    setresuid(st.st_uid, st.st_uid, st.st_uid) != 0)
		return strerror(errno);
	return NULL;
}

static bool
listens(const struct jvm_session *t)
{
	struct stat st;

	return lstat(t->listener, &st) == 0 && S_ISSOCK(st.st_mode) &&
	       st.st_uid == geteuid();
}

static const char *
start_listener(const struct jvm_session *t)
{
	const struct timespec moment = { 0, 20000000 };
	const char *why = NULL;
	int fd, i;

	if (listens(t))
		return NULL;
	fd = open(t->attach, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0 && errno != EEXIST)
		return strerror(errno);
	if (fd >= 0)
		close(fd);
	if (syscall(SYS_pidfd_send_signal, t->process, SIGQUIT, NULL, 0) != 0)
		why = strerror(errno);
	for (i = 0; why == NULL && !listens(t); i++) {
		nanosleep(&moment, NULL);
		if (i == 250)
			why = "it does not listen to jcmd";
	}
	unlink(t->attach);
	return why;
}

static const char *
send_request(struct jvm_session *t)
{
	/* The version, the command, and its three arguments. */
	static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, t->listener, sizeof(t->listener));
	t->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (t->socket < 0 ||
	    connect(t->socket, (struct sockaddr *)&address, sizeof(address)) !=
		0 ||
	    write(t->socket, request, sizeof(request)) != sizeof(request))
		return strerror(errno);
	return NULL;
}

/* "0" and the output of the command, which has run at end of file. */
static const char *
read_answer(const struct jvm_session *t)
{
	char first = '\0', rest[512];
	ssize_t n;

	if (read(t->socket, &first, 1) != 1)
		return "it does not answer";
	while ((n = read(t->socket, rest, sizeof(rest))) > 0)
		;
	if (first != '0')
		return "its JDK has no Compiler.perfmap, as 17 and later have";
	return NULL;
}

static const char *
copy(int from, int to)
{
	char bytes[1 << 16];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			return strerror(errno);
	return n < 0 ? strerror(errno) : NULL;
}

/* Copy the map to out, and delete it if it did not exist before. */
static const char *
request_map(struct jvm_session *t, int out)
{
	struct stat before, after;
	bool existed = lstat(t->map, &before) == 0;
	const char *why;
	int fd;

	why = send_request(t);
	if (why == NULL)
		why = read_answer(t);
	if (why != NULL)
		return why;
	fd = owner_check_open(t->map, OWNER_CHECK_OWNER, geteuid(), &why);
	if (fd < 0)
		return why;
	if (existed && fstat(fd, &after) == 0 &&
	    memcmp(&before.st_mtim, &after.st_mtim, sizeof(after.st_mtim)) == 0)
		why = "it could not write its map";
	else
		why = copy(fd, out);
	close(fd);
	if (!existed)
		unlink(t->map);
	return why;
}

/* Write the map to out and exit with 0, or a reason and exit with 1. */
static void
run_child(struct jvm_session *t, int out)
{
	const char *why;

	signal(SIGALRM, SIG_DFL);
	alarm(TIMEOUT);
	why = enter(t);
	if (why == NULL && !capabilities_drop_all())
		why = strerror(errno);
	if (why == NULL)
		why = start_listener(t);
	if (why == NULL)
		why = request_map(t, out);
	if (why != NULL && write(out, why, strlen(why)) < 0)
		_exit(2);
	_exit(why != NULL);
}

/* Requests. */

struct jvm_request {
	pid_t child;
	int answer; /* a file without a name, which the child writes */
	bool ended;
	int status;
};

struct jvm_request *
jvm_map_start(int64_t pid, struct buf *why)
{
	struct jvm_session t = {
		.pid = pid, .process = (int)syscall(SYS_pidfd_open, pid, 0)
	};
	struct jvm_request *r = NULL;
	int answer = -1;
	pid_t child;

	name_files(&t, container_pid(pid));
	if (t.process < 0 || !jvm_is(pid)) {
		buf_str(why, STR("it is no JVM that can be asked"));
	} else if ((answer = memfd_create("map", MFD_CLOEXEC)) < 0 ||
		   (child = fork()) < 0) {
		buf_str(why, str_of(strerror(errno)));
	} else {
		if (child == 0)
			run_child(&t, answer);
		r = mem_zero(1, sizeof(*r));
		r->child = child;
		r->answer = answer;
	}
	if (t.process >= 0)
		close(t.process);
	if (r == NULL && answer >= 0)
		close(answer);
	return r;
}

bool
jvm_map_ready(struct jvm_request *r)
{
	r->ended |= waitpid(r->child, &r->status, WNOHANG) == r->child;
	return r->ended;
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

bool
jvm_map_finish(struct jvm_request *r, struct buf *map, struct buf *why)
{
	bool ok;

	while (!r->ended && waitpid(r->child, &r->status, 0) < 0 &&
	       errno == EINTR)
		;
	ok = WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0;
	if (ok)
		read_all(r->answer, map);
	else if (WIFEXITED(r->status))
		read_all(r->answer, why);
	else
		buf_str(why, STR("it does not answer"));
	close(r->answer);
	free(r);
	return ok;
}

bool
jvm_map(int64_t pid, struct buf *map, struct buf *why)
{
	struct jvm_request *r = jvm_map_start(pid, why);

	return r != NULL && jvm_map_finish(r, map, why);
}
