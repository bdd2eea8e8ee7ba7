/*
 * attempts - preloaded into a command, tries what a parser that was taken over
 * might.  At the end of the command, this says on standard error what is
 * refused and what is allowed, with files in $ATTEMPTS_IN; and what the system
 * has, since not all do: landlock, filters of calls, files without a name in
 * $TMPDIR.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The same on all machines, if their headers are older. */
enum { PIDFD_OPEN = 434, LANDLOCK_CREATE_RULESET = 444 };
enum { SECCOMP_GET_ACTION_AVAIL = 2, SECCOMP_RET_ERRNO = 0x50000 };

static int
try_read(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

static int
try_create(void)
{
	return open("new", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

static int
try_overwrite(void)
{
	return open("old", O_WRONLY | O_TRUNC | O_CLOEXEC);
}

static int
try_rename(void)
{
	return rename("old", "old");
}

static int
try_remove(void)
{
	return unlink("old");
}

static int
try_chmod(void)
{
	return chmod(".", 0755);
}

static int
try_execute(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };
	pid_t child;

	errno = posix_spawnp(&child, "true", NULL, NULL, argv, argv + 1);
	return errno != 0 ? -1 : (int)waitpid(child, NULL, 0);
}

static int
try_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* A datagram can be sent from either to anybody. */
static int
try_pair(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair);
}

static int
try_signal(void)
{
	return kill(getppid(), 0);
}

static int
try_signal_thread(void)
{
	return (int)syscall(SYS_tgkill, getppid(), getppid(), 0);
}

static int
try_signal_by_thread(void)
{
	return (int)syscall(SYS_tkill, getppid(), 0);
}

/* Fails with ESRCH where it is allowed: the parent is not traced. */
static int
try_trace(void)
{
	return (int)ptrace(PTRACE_PEEKDATA, getppid(), NULL, NULL);
}

/* What a sampler may not do to a thread; no thread has this number. */
static int
try_poke(void)
{
	return (int)ptrace(PTRACE_POKEDATA, 0, NULL, NULL);
}

static int
try_exitkill(void)
{
	return (int)ptrace(PTRACE_SEIZE, 0, NULL, (void *)PTRACE_O_EXITKILL);
}

static int
try_write(void)
{
	return (int)process_vm_writev(getpid(), NULL, 0, NULL, 0, 0);
}

/* Linux truncates a file that is opened for reading, too. */
static int
try_empty(void)
{
	return open("old", O_RDONLY | O_TRUNC | O_CLOEXEC);
}

/* Of what comes to a descriptor, the signal can be any. */
static int
try_owner(void)
{
	return fcntl(0, F_SETOWN, getpid());
}

static int
try_memory(void)
{
	return (int)process_vm_readv(getpid(), NULL, 0, NULL, 0, 0);
}

static int
try_become(void)
{
	return setuid(getuid());
}

/* Of what is no terminal, there is another error. */
static int
try_type(void)
{
	return ioctl(0, TIOCSTI, "x");
}

static int
try_paste(void)
{
	return ioctl(0, TIOCLINUX, "\3");
}

static int
try_new_call(void)
{
	return (int)syscall(PIDFD_OPEN, getpid(), 0);
}

static const struct {
	const char *name;
	int (*try)(void);
} attempts[] = {
	{ "read", try_read },
	{ "create", try_create },
	{ "rename", try_rename },
	{ "overwrite", try_overwrite },
	{ "remove", try_remove },
	{ "chmod", try_chmod },
	{ "execute", try_execute },
	{ "socket", try_socket },
	{ "signal", try_signal },
	{ "memory", try_memory },
	{ "become", try_become },
	{ "type", try_type },
	{ "paste", try_paste },
	{ "new", try_new_call },
	{ "pair", try_pair },
	{ "owner", try_owner },
	{ "thread", try_signal_thread },
	{ "trace", try_trace },
	{ "empty", try_empty },
	{ "poke", try_poke },
	{ "exitkill", try_exitkill },
	{ "write", try_write },
	{ "tkill", try_signal_by_thread },
};

static int
was_refused(int result)
{
	return result < 0 &&
	       (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static int has_landlock, has_filters, has_unnamed;
static int standard_error; /* which some close at their end */

/* Not for what the command executes. */
__attribute__((constructor)) static void
begin(void)
{
	has_landlock = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, 1) > 0;
	has_filters = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0,
			      &(unsigned int){ SECCOMP_RET_ERRNO }) == 0;
	has_unnamed = open(getenv("TMPDIR"), O_TMPFILE | O_RDWR | O_CLOEXEC,
			   0600) >= 0;
	standard_error = fcntl(2, F_DUPFD_CLOEXEC, 3);
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void
attempt_all(void)
{
	const size_t n = sizeof(attempts) / sizeof(attempts[0]);
	char said[500];
	int i, length = 0;

	if (chdir(getenv("ATTEMPTS_IN")) != 0)
		return;
	for (i = 0; i < (int)n; i++)
		length += snprintf(
		    said + length, sizeof(said) - (size_t)length, "%s %s\n",
		    was_refused(attempts[i].try()) ? "refused" : "allowed",
		    attempts[i].name);
	dprintf(standard_error, "%shas%s%s%s\n", said,
		has_landlock ? " landlock" : "", has_filters ? " filters" : "",
		has_unnamed ? " unnamed" : "");
}
