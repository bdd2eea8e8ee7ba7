/*
 * slowcalls - calls of which some are slow, for reasons that are known.
 *
 *	usage: slowcalls SECONDS
 *
 * Two threads call handle() again and again.  One call in twenty takes
 * slow_path(), one in a hundred waits in take_lock() for a lock that another
 * thread holds most of the time, and one in fifty calls itself.  What the
 * second and the third take is printed, a line each: its name, when it began
 * and how long it took, in nanoseconds of CLOCK_MONOTONIC.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool ended;
static volatile uint64_t sink;

static uint64_t
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
tell(const char *name, uint64_t begin)
{
	uint64_t end = now(CLOCK_MONOTONIC);

	printf("%s %" PRIu64 " %" PRIu64 "\n", name, begin, end - begin);
}

/* Compute for so long. */
static __attribute__((noinline)) void
compute(uint64_t us)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + 1000 * us;
	int i;

	do {
		for (i = 0; i < 2000; i++)
			sink += (uint64_t)i;
	} while (now(CLOCK_THREAD_CPUTIME_ID) < end);
}

static __attribute__((noinline)) void
slow_path(void)
{
	uint64_t begin = now(CLOCK_MONOTONIC);

	compute(4000);
	tell("slow_path", begin);
}

static __attribute__((noinline)) void
take_lock(void)
{
	uint64_t begin = now(CLOCK_MONOTONIC);

	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	tell("take_lock", begin);
}

/* Its calls of itself are parts of the first one. */
static __attribute__((noinline)) void
handle(unsigned id, unsigned depth)
{
	compute(100);
	if (depth > 0)
		handle(id, depth - 1);
	else if (id % 20 == 7)
		slow_path();
	else if (id % 100 == 50)
		take_lock();
	__asm__ volatile(""); /* not the end: a call, and no jump */
}

static void *
work(void *arg)
{
	unsigned id;

	for (id = *(const unsigned *)arg; !ended; id++) {
		handle(id, id % 50 == 1);
		usleep(1000);
	}
	return NULL;
}

static void *
hold(void *arg)
{
	while (!ended) {
		pthread_mutex_lock(&lock);
		usleep(30000);
		pthread_mutex_unlock(&lock);
		usleep(100);
	}
	return arg;
}

int
main(int argc, char *argv[])
{
	static unsigned first[WORKERS] = { 0, 33 };
	pthread_t thread[WORKERS], holder;
	int i;

	/* What was printed is there when a signal ends us. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_create(&holder, NULL, hold, NULL);
	for (i = 0; i < WORKERS; i++)
		pthread_create(&thread[i], NULL, work, &first[i]);
	usleep((useconds_t)(1e6 * (argc > 1 ? atof(argv[1]) : 1)));
	ended = true;
	for (i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	pthread_join(holder, NULL);
	return 0;
}
