/* jvm_attach.c - the part of a request to a JVM that acts as its user. */
#include "jit/jvm_attach.h"

#include "base/buf.h"
#include "os/capabilities.h"
#include "os/container.h"
#include "os/owner_check.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/*
 * The functions return NULL, or the reason of a failure.  It
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
		return "it has ended";
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

/* Connect, and send the version, the command, and its three arguments. */
static const char *
send_request(struct jvm_session *t, struct str request)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, t->listener, sizeof(t->listener));
	t->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (t->socket < 0 ||
	    connect(t->socket, (struct sockaddr *)&address, sizeof(address)) !=
		0 ||
	    write(t->socket, request.p, request.len) != (ssize_t)request.len)
		return strerror(errno);
	return NULL;
}

/*
 * Read "0" and the output of the command, which has run at end of file.  The
 * beginning of the output is left in *rest.
 */
static const char *
read_answer(const struct jvm_session *t, char rest[512])
{
	const size_t room = 511;
	char first = '\0', more[512];
	size_t have = 0;
	ssize_t n;

	*rest = '\0';
	if (read(t->socket, &first, 1) != 1)
		return "it does not answer";
	while ((n = read(t->socket, more, sizeof(more))) > 0) {
		if ((size_t)n > room - have)
			n = (ssize_t)(room - have);
		memcpy(rest + have, more, (size_t)n);
		have += (size_t)n;
		rest[have] = '\0';
	}
	return first == '0' ? NULL : "its JDK does not have this command";
}

/* A JVM with 300,000 compiled methods writes a tenth of the limit. */
static const char *
copy(int from, int to)
{
	const size_t limit = (size_t)256 << 20;
	char bytes[1 << 16];
	size_t size = 0;
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		size += (size_t)n;
		if (size > limit)
			return "its map has more than 256 MiB";
		if (write(to, bytes, (size_t)n) != n)
			return strerror(errno);
	}
	return n < 0 ? strerror(errno) : NULL;
}

/* Copy the map to out, and delete it if it did not exist before. */
static const char *
request_map(struct jvm_session *t, int out)
{
	struct stat before, after;
	bool existed = lstat(t->map, &before) == 0;
	static const char request[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char rest[512];
	const char *why;
	int fd;

	why = send_request(t, (struct str){ request, sizeof(request) });
	if (why != NULL)
		return why;
	if (read_answer(t, rest) != NULL)
		return "its JDK has no Compiler.perfmap: it needs JDK 17";
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

/* Become the JVM's user, and have it listen. */
static const char *
begin(struct jvm_session *t)
{
	const char *why;

	name_files(t, container_pid(t->pid));
	why = enter(t);
	if (why == NULL && !capabilities_drop_all())
		why = strerror(errno);
	return why == NULL ? start_listener(t) : why;
}

const char *
jvm_attach_map(int64_t pid, int process, int out)
{
	struct jvm_session t = { .pid = pid, .process = process };
	const char *why = begin(&t);

	return why == NULL ? request_map(&t, out) : why;
}

/* The answer of the JVM about an agent, without the line break. */
static const char *
check_loaded(char *answer)
{
	static const char good[] = "return code: 0";
	char *text = answer + strspn(answer, "\n");

	text[strcspn(text, "\n")] = '\0';
	/* JDK 8 says only the number. */
	if (strcmp(text, good) == 0 || strcmp(text, "0") == 0)
		return NULL;
	if (strncmp(text, good, sizeof(good) - 2) == 0)
		return "its agent could not begin, and says why on the JVM's "
		       "standard error";
	return *text == '\0' ? "it does not say whether it loaded the agent" :
			       text;
}

const char *
jvm_attach_load(int64_t pid, int process, const struct jvm_agent *agent)
{
	static const char command[] = "1\0load", absolute[] = "true";
	static char answer[512];
	struct jvm_session t = { .pid = pid, .process = process };
	struct buf request = { 0 };
	const char *why = begin(&t);

	buf_add(&request, command, sizeof(command));
	buf_add(&request, agent->library, strlen(agent->library) + 1);
	buf_add(&request, absolute, sizeof(absolute));
	buf_add(&request, agent->options, strlen(agent->options) + 1);
	if (why == NULL)
		why = send_request(&t, buf_slice(&request));
	buf_free(&request);
	if (why == NULL)
		why = read_answer(&t, answer);
	if (why != NULL && *answer == '\0')
		return why;
	return check_loaded(answer + (why != NULL) * strcspn(answer, "\n"));
}
