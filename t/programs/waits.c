/*
 * waits.c - threads that each run for a piece of time and wait for another,
 * over and over, to hold the shares of a profile against.
 *
 *	usage: waits SECONDS NS
 *	tid NAME SHARE INTERRUPTED
 *
 * Three threads, each round takes NS, and 10, 50 and 90 % of it are waits; the
 * threads are called wPERCENT-NS.  SHARE is how much of its time a thread had a
 *CPU or waited for one, as the kernel counts it; INTERRUPTED how many waits
 *ended with EINTR.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

struct job {
	int64_t run, wait; /* ns, of each round */
	int64_t tid;
	double share;
	uint64_t interrupted;
	char name[16];
	pthread_t thread;
};

static int64_t end;

static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void __attribute__((noinline)) run_here(int64_t until)
{
	while (now() < until)
		continue;
}

/* epoll_wait(2), since it does not begin anew after a stop. */
static bool __attribute__((noinline)) wait_here(int timer, int poll, int64_t ns)
{
	const struct itimerspec t = { .it_value = { ns / 1000000000,
						    ns % 1000000000 } };
	struct epoll_event event;

	timerfd_settime(timer, 0, &t, NULL);
	return epoll_wait(poll, &event, 1, -1) < 0 && errno == EINTR;
}

/* Time of this thread on a CPU and on the way there; proc(5), schedstat. */
static int64_t
busy(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	int64_t ran, delayed;

	if (f == NULL || fscanf(f, "%" SCNd64 " %" SCNd64, &ran, &delayed) != 2)
		errx(2, "no schedstat");
	fclose(f);
	return ran + delayed;
}

static void *
work(void *arg)
{
	struct job *j = arg;
	struct epoll_event event = { .events = EPOLLIN };
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	int poll = epoll_create1(0);
	int64_t start, first;

	epoll_ctl(poll, EPOLL_CTL_ADD, timer, &event);
	prctl(PR_SET_TIMERSLACK, 1);
	prctl(PR_SET_NAME, j->name);
	j->tid = syscall(SYS_gettid);
	first = busy();
	start = now();
	while (now() < end) {
		run_here(now() + j->run);
		j->interrupted += wait_here(timer, poll, j->wait);
	}
	j->share = (double)(busy() - first) / (double)(now() - start);
	return NULL;
}

int
main(int argc, char *argv[])
{
	static const int percent[] = { 10, 50, 90 };
	struct job job[3] = { { .run = 0 } };
	int64_t whole;
	size_t i;

	if (argc != 3)
		errx(2, "usage: waits SECONDS NS");
	whole = atoll(argv[2]);
	end = now() + (int64_t)(atof(argv[1]) * 1e9);
	for (i = 0; i < 3; i++) {
		job[i].wait = whole * percent[i] / 100;
		job[i].run = whole - job[i].wait;
		snprintf(job[i].name, sizeof(job[i].name), "w%d-%" PRId64,
			 percent[i], whole);
		if (pthread_create(&job[i].thread, NULL, work, &job[i]) != 0)
			errx(2, "pthread_create");
	}
	for (i = 0; i < 3; i++)
		pthread_join(job[i].thread, NULL);
	for (i = 0; i < 3; i++)
		printf("%" PRId64 " %s %.6f %" PRIu64 "\n", job[i].tid,
		       job[i].name, job[i].share, job[i].interrupted);
	return 0;
}
