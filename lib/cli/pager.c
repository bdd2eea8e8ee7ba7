/* pager.c - show standard output in a pager. */
#include "cli/pager.h"

#include "base/buf.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* How long to wait until the pager stops. */
#define STOP_MS 2000

static void
spawn(struct pager *p, char *path, int from)
{
	posix_spawn_file_actions_t actions;
	char *argv[] = { path, NULL };
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, 0);
	error = posix_spawnp(&p->pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error == ENOENT)
		errx(2, "%s: pager not found: write to a file or a pipe", path);
	if (error != 0) {
		errno = error;
		err(2, "%s", path);
	}
}

void
pager_start(struct pager *p, const char *name, const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	struct buf path = { 0 };
	int fds[2];

	if (slash != NULL)
		buf_str(&path, str_range(argv0, slash + 1));
	buf_add(&path, name, strlen(name) + 1);
	p->terminal = fcntl(1, F_DUPFD_CLOEXEC, 3);
	if (p->terminal < 0 || pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	spawn(p, path.p, fds[0]);
	if (dup2(fds[1], 1) < 0)
		err(2, "pipe");
	close(fds[0]);
	close(fds[1]);
	buf_free(&path);
}

static void
restore_output(struct pager *p)
{
	dup2(p->terminal, 1);
	close(p->terminal);
}

bool
pager_has_ended(struct pager *p)
{
	if (p->pid == 0 || waitpid(p->pid, NULL, WNOHANG) != p->pid)
		return false;
	restore_output(p);
	p->pid = 0;
	return true;
}

/* Whether the pager has stopped or ended; it remains to be waited for. */
static bool
has_stopped(const struct pager *p)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)p->pid, &info,
		      WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid != 0;
}

void
pager_stop(const struct pager *p)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int i;

	if (p->pid == 0)
		return;
	/* Most often the terminal has sent it the same signal. */
	kill(p->pid, SIGTSTP);
	for (i = 0; i < STOP_MS && !has_stopped(p); i++)
		nanosleep(&pause, NULL);
}

void
pager_continue(const struct pager *p)
{
	if (p->pid != 0)
		kill(p->pid, SIGCONT);
}

void
pager_finish(struct pager *p)
{
	if (p->pid == 0)
		return;
	restore_output(p); /* ends the input of the pager */
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	p->pid = 0;
}
