/* helper.c - a process that keeps a right which the sandbox takes from us. */
#include "os/helper.h"

#include "os/fd_pass.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The helper to stop at exit, or NULL. */
static struct helper *started;

static void
ignore_terminal(void)
{
	static const int sent[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM };
	size_t i;

	for (i = 0; i < sizeof(sent) / sizeof(*sent); i++)
		signal(sent[i], SIG_IGN);
}

void
helper_stop(struct helper *h)
{
	if (h->pid == 0)
		return;
	close(h->socket);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	h->pid = 0;
}

static void
stop_started(void)
{
	helper_stop(started);
}

void
helper_start(struct helper *h, void (*serve)(void *arg, int socket), void *arg,
	     const char *file)
{
	int fds[2];

	if (!fd_pass_pair(fds) || (h->pid = fork()) < 0)
		err(2, "%s", file);
	if (h->pid == 0) {
		close(fds[0]);
		ignore_terminal();
		serve(arg, fds[1]);
		_exit(0);
	}
	close(fds[1]);
	h->socket = fds[0];
	started = h;
	atexit(stop_started);
}
