/* launch.c - start the command that is recorded, when its events are open. */
#include "record/launch.h"

#include "cli/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child.  Without an answer, the recorder is gone: do not run. */
static void
run(char *argv[], int go, int failed, bool stdout_taken)
{
	char byte;
	int error;

	if (read(go, &byte, 1) != 1)
		_exit(0);
	limits_lift();
	if (!stdout_taken || dup2(2, 1) == 1)
		execvp(argv[0], argv);
	error = errno;
	while (write(failed, &error, sizeof(error)) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

bool
launch_prepare(struct launch *l, char *argv[], bool stdout_taken)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0)
		return false;
	pid = fork();
	if (pid < 0)
		return false;
	if (pid == 0) {
		/* Otherwise the child would wait for its own end. */
		close(go[1]);
		run(argv, go[0], failed[1], stdout_taken);
	}
	close(go[0]);
	close(failed[1]);
	*l = (struct launch){ .pid = pid, .go = go[1], .failed = failed[0] };
	return true;
}

/* The kernel closes the pipe in a successful exec. */
int
launch_go(struct launch *l)
{
	const char byte = 0;
	int error = 0;
	ssize_t n;

	if (write(l->go, &byte, 1) != 1)
		return errno;
	do
		n = read(l->failed, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	close(l->go);
	close(l->failed);
	l->go = l->failed = -1;
	return n == sizeof(error) ? error : 0;
}

static void
collect(struct launch *l, int options)
{
	pid_t pid;

	if (l->pid == 0 || l->ended)
		return;
	do
		pid = waitpid((pid_t)l->pid, &l->status, options);
	while (pid < 0 && errno == EINTR);
	l->ended = pid != 0;
}

bool
launch_has_ended(struct launch *l)
{
	collect(l, WNOHANG);
	return l->ended;
}

void
launch_wait(struct launch *l)
{
	collect(l, 0);
}

/* It has not been waited for, so no other process has its number. */
void
launch_stop(struct launch *l)
{
	if (l->pid == 0 || launch_has_ended(l))
		return;
	kill((pid_t)l->pid, SIGTERM);
	kill((pid_t)l->pid, SIGCONT);
	launch_wait(l);
}

int
launch_status(const struct launch *l)
{
	return WIFSIGNALED(l->status) ? 128 + WTERMSIG(l->status) :
					WEXITSTATUS(l->status);
}
