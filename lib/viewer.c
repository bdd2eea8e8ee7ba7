/* viewer.c - a program that shows on the terminal what we write. */
#include "viewer.h"

#include "buf.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void
spawn(struct viewer *v, char *path, int from)
{
	posix_spawn_file_actions_t actions;
	char *argv[] = { path, NULL };
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, 0);
	error = posix_spawnp(&v->pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error == ENOENT)
		errx(2, "%s is not there to show this: use a file or a pipe",
		     path);
	if (error != 0) {
		errno = error;
		err(2, "%s", path);
	}
}

void
viewer_start(struct viewer *v, const char *name, const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	struct buf path = { 0 };
	int fds[2];

	if (slash != NULL)
		buf_str(&path, str_range(argv0, slash + 1));
	buf_add(&path, name, strlen(name) + 1);
	v->terminal = fcntl(1, F_DUPFD_CLOEXEC, 3);
	if (v->terminal < 0 || pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	spawn(v, path.p, fds[0]);
	if (dup2(fds[1], 1) < 0)
		err(2, "pipe");
	close(fds[0]);
	close(fds[1]);
	buf_free(&path);
}

static void
come_back(struct viewer *v)
{
	dup2(v->terminal, 1);
	close(v->terminal);
}

bool
viewer_has_ended(struct viewer *v)
{
	if (v->pid == 0 || waitpid(v->pid, NULL, WNOHANG) != v->pid)
		return false;
	come_back(v);
	v->pid = 0;
	return true;
}

void
viewer_finish(struct viewer *v)
{
	if (v->pid == 0)
		return;
	come_back(v); /* which ends its input */
	while (waitpid(v->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	v->pid = 0;
}
