/* follow.c - wait for inputs that are still written, and for signals. */
#include "io/follow.h"

#include "base/mem.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How often to check whether a file has grown, in ms. */
#define FILE_INTERVAL 100

static volatile sig_atomic_t report_requested, stop_requested;
static sigset_t wait_mask; /* signals that stay blocked in follow_wait() */
static bool has_signals;

bool
follow_is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

bool
follow_has_grown(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size > lseek(fd, 0, SEEK_CUR);
}

/* poll(2), during which signals can arrive. */
static void
wait_for(struct pollfd *p, size_t n, int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	if (ppoll(p, n, ms < 0 ? NULL : &time,
		  has_signals ? &wait_mask : NULL) < 0 &&
	    errno != EINTR)
		err(2, "poll");
}

void
follow_wait(const int *fd, bool *ready, size_t n, int ms)
{
	struct pollfd *p = mem_zero(n, sizeof(*p));
	bool has_files = false, has_grown = false;
	size_t i;

	for (i = 0; i < n; i++) {
		ready[i] = false;
		p[i] = (struct pollfd){ .fd = fd[i], .events = POLLIN };
		if (!follow_is_file(fd[i]))
			continue;
		p[i].fd = -1;
		has_files = true;
		ready[i] = follow_has_grown(fd[i]);
		has_grown |= ready[i];
	}
	if (has_grown)
		ms = 0;
	else if (has_files && (ms < 0 || ms > FILE_INTERVAL))
		ms = FILE_INTERVAL;
	wait_for(p, n, ms);
	for (i = 0; i < n; i++)
		ready[i] |= p[i].revents != 0;
	free(p);
}

bool
follow_is_ready(int fd)
{
	bool ready;

	follow_wait(&fd, &ready, 1, 0);
	return ready;
}

bool
follow_is_quiet(const struct input *in, int ms)
{
	const int fd = input_wait_fd(in);
	bool ready;

	if (fd < 0)
		return false;
	follow_wait(&fd, &ready, 1, ms);
	return !ready;
}

enum input_wait
follow_input(void *arg, int fd)
{
	bool ready = follow_is_ready(fd);

	(void)arg;
	if (!ready && fflush(stdout) != 0)
		err(2, "standard output");
	while (!ready)
		follow_wait(&fd, &ready, 1, -1);
	return INPUT_READ;
}

static void
on_signal(int sig)
{
	if (sig == SIGUSR1)
		report_requested = 1;
	else
		stop_requested = 1;
}

void
follow_signals(void)
{
	static const int signals[] = { SIGUSR1, SIGTERM, SIGINT };
	const struct sigaction action = { .sa_handler = on_signal };
	sigset_t block;
	size_t i;

	sigemptyset(&block);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaddset(&block, signals[i]);
	sigprocmask(SIG_BLOCK, &block, &wait_mask);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		sigdelset(&wait_mask, signals[i]);
		sigaction(signals[i], &action, NULL);
	}
	has_signals = true;
}

bool
follow_report_requested(void)
{
	const bool requested = report_requested;

	report_requested = 0;
	return requested;
}

bool
follow_stop_requested(void)
{
	return stop_requested;
}
