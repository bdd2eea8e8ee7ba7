/*
 * threads.c - threads that each do one thing, to be sampled: wait for a lock,
 * poll, sleep below frames that call themselves, and burn time.  Prints
 * "ready", and ends after a minute.
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define HERE __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t sink;

static HERE void
sleep_here(void)
{
	sleep(60);
	sink++;
}

static HERE void
deep_here(int n)
{
	if (n > 0)
		deep_here(n - 1);
	else
		sleep(60);
	sink++;
}

static HERE void
burn_here(void)
{
	int i;

	for (i = 0; i < 100000; i++)
		sink++;
}

static HERE void
poll_here(void)
{
	poll(NULL, 0, 60000);
	sink++;
}

static HERE void
lock_here(void)
{
	pthread_mutex_lock(&lock);
	sink++;
}

static void *
run_lock(void *arg)
{
	lock_here();
	return arg;
}

static void *
run_poll(void *arg)
{
	poll_here();
	return arg;
}

static void *
run_deep(void *arg)
{
	deep_here(20);
	return arg;
}

static void *
run_burn(void *arg)
{
	for (;;)
		burn_here();
	return arg;
}

int
main(void)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} threads[] = { { "lock", run_lock },
			{ "poll", run_poll },
			{ "deep", run_deep },
			{ "burn", run_burn } };
	const struct timespec nap = { 0, 50000000 };
	pthread_t thread;
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		if (pthread_create(&thread, NULL, threads[i].run, NULL) != 0)
			errx(2, "pthread_create");
		pthread_setname_np(thread, threads[i].name);
	}
	nanosleep(&nap, NULL);
	puts("ready");
	fflush(stdout);
	sleep_here();
	return 0;
}
