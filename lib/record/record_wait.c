/* record_wait.c - wait for records in the rings, and for signals. */
#include "record/record_wait.h"

#include "base/mem.h"

#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };

enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };

void
record_wait_open(struct record_wait *w)
{
	struct sigaction old;
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	signal(SIGCHLD, SIG_DFL);
	for (i = 0; i < NUMBERS; i++) {
		/* Under nohup(1), SIGHUP stays ignored. */
		if (sigaction(numbers[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaddset(&set, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signals < 0)
		err(2, "signalfd");
}

void
record_wait_close(struct record_wait *w)
{
	free(w->poll);
	close(w->signals);
}

void
record_wait_unblock(void)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NUMBERS; i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void
record_wait_rings(struct record_wait *w, const struct ring *ring, size_t n)
{
	size_t i;

	w->poll = mem_zero(n + 1, sizeof(*w->poll));
	for (i = 0; i < n; i++)
		w->poll[i] = (struct pollfd){ .fd = ring[i].fd,
					      .events = POLLIN };
	w->poll[n] = (struct pollfd){ .fd = w->signals, .events = POLLIN };
	w->n = n + 1;
}

static void
read_signals(struct record_wait *w)
{
	struct signalfd_siginfo info;

	while (read(w->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			w->stopped = true;
	}
}

void
record_wait(struct record_wait *w, int ms)
{
	size_t i;

	if (poll(w->poll, w->n, ms) < 0)
		return;
	/* An event whose tasks are gone is always ready. */
	for (i = 0; i + 1 < w->n; i++) {
		if (w->poll[i].revents & (POLLHUP | POLLERR))
			w->poll[i].fd = -1;
	}
	read_signals(w);
}
