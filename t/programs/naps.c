/*
 * naps.c - threads that run and wait for known times, to hold profiles of
 * waits against: each prints its id, and what it measured by itself.
 *
 *	usage: naps [rounds]
 *	tid NAME wall RUN-NS SLEEP-NS OUTER-NS
 *
 * wall is from its first to its last instruction, OUTER-NS from before it was
 * made to after it was joined.  All share one CPU, so that they also wait for
 * each other.
 */
#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUND 10000000 /* ns */

struct job {
	const char *name;
	int64_t run, nap; /* ns, of each round */
	bool posts, waits;
	int64_t tid, wall, ran, slept, outer;
	pthread_t thread;
};

static int rounds = 30;
static sem_t bell;

static int64_t
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void __attribute__((noinline)) burn(int64_t ns)
{
	int64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		continue;
}

static void __attribute__((noinline)) doze(struct job *j)
{
	struct timespec t = { 0, j->nap };
	int64_t start = now(CLOCK_MONOTONIC);

	nanosleep(&t, NULL);
	j->slept += now(CLOCK_MONOTONIC) - start;
}

static void __attribute__((noinline)) await(struct job *j)
{
	int64_t start = now(CLOCK_MONOTONIC);

	sem_wait(&bell);
	j->slept += now(CLOCK_MONOTONIC) - start;
}

static void *
work(void *arg)
{
	struct job *j = arg;
	int64_t start = now(CLOCK_MONOTONIC);
	int i;

	pthread_setname_np(pthread_self(), j->name);
	j->tid = syscall(SYS_gettid);
	for (i = 0; i < rounds; i++) {
		if (j->waits)
			await(j);
		if (j->run > 0)
			burn(j->run);
		if (j->posts)
			sem_post(&bell);
		if (j->nap > 0)
			doze(j);
	}
	j->ran = now(CLOCK_THREAD_CPUTIME_ID);
	j->wall = now(CLOCK_MONOTONIC) - start;
	return NULL;
}

int
main(int argc, char *argv[])
{
	static struct job job[] = {
		{ .name = "napper", .run = ROUND / 20, .nap = ROUND },
		{ .name = "worker", .run = ROUND, .posts = true },
		{ .name = "waiter", .run = ROUND / 4, .waits = true },
	};
	const size_t n = sizeof(job) / sizeof(*job);
	cpu_set_t cpus;
	size_t i;

	if (argc > 1)
		rounds = atoi(argv[1]);
	CPU_ZERO(&cpus);
	CPU_SET((size_t)sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sem_init(&bell, 0, 0);
	for (i = 0; i < n; i++) {
		job[i].outer = now(CLOCK_MONOTONIC);
		if (pthread_create(&job[i].thread, NULL, work, &job[i]) != 0)
			errx(1, "pthread_create");
	}
	for (i = 0; i < n; i++) {
		pthread_join(job[i].thread, NULL);
		job[i].outer = now(CLOCK_MONOTONIC) - job[i].outer;
	}
	for (i = 0; i < n; i++)
		printf("%" PRId64 " %s %" PRId64 " %" PRId64 " %" PRId64
		       " %" PRId64 "\n",
		       job[i].tid, job[i].name, job[i].wall, job[i].ran,
		       job[i].slept, job[i].outer);
	return 0;
}
