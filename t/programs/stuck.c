/*
 * stuck.c - threads that wait for each other in known ways.  Each prints
 * "TID NAME OWNER", where OWNER is the thread that it waits for, or 0; then
 * "ready" comes.  Ends after a minute.
 *
 *	usage: stuck [deadlock]
 */
#include <err.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER,
		       second = PTHREAD_MUTEX_INITIALIZER,
		       third = PTHREAD_MUTEX_INITIALIZER, inherits, robust,
		       never = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static FILE *stream;
static sem_t semaphore;
static pthread_t sleeper;
static pthread_barrier_t step;
static long holder; /* of all locks but those of the chain */

static void
say(const char *name, long owner)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_setname_np(pthread_self(), name);
	pthread_mutex_lock(&lock);
	printf("%ld %s %ld\n", (long)syscall(SYS_gettid), name, owner);
	fflush(stdout);
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&step);
}

static void *
wait_mutex(void *arg)
{
	say("mutex", holder);
	pthread_mutex_lock(&first);
	return arg;
}

static void *
wait_timed(void *arg)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 60;
	say("timed", holder);
	pthread_mutex_timedlock(&first, &end);
	return arg;
}

static void *
wait_inherits(void *arg)
{
	say("inherits", holder);
	pthread_mutex_lock(&inherits);
	return arg;
}

static void *
wait_robust(void *arg)
{
	say("robust", holder);
	pthread_mutex_lock(&robust);
	return arg;
}

static void *
wait_reader(void *arg)
{
	say("reader", holder);
	pthread_rwlock_rdlock(&written);
	return arg;
}

static void *
wait_writer(void *arg)
{
	say("writer", holder);
	pthread_rwlock_wrlock(&written);
	return arg;
}

static void *
wait_stream(void *arg)
{
	say("stream", holder);
	flockfile(stream);
	return arg;
}

static void *
wait_join(void *arg)
{
	say("join", *(long *)arg);
	pthread_join(sleeper, NULL);
	return arg;
}

static void *
wait_condition(void *arg)
{
	say("condition", 0);
	pthread_mutex_lock(&never);
	pthread_cond_wait(&condition, &never);
	return arg;
}

static void *
wait_semaphore(void *arg)
{
	say("semaphore", 0);
	sem_wait(&semaphore);
	return arg;
}

/* The chain: two wait for second, whose owner waits for third. */

static long middle;

static void *
wait_middle(void *arg)
{
	say("chained", middle);
	pthread_mutex_lock(&second);
	return arg;
}

static void *
hold_middle(void *arg)
{
	pthread_mutex_lock(&second);
	middle = syscall(SYS_gettid);
	pthread_barrier_wait(&step);
	say("middle", holder);
	pthread_mutex_lock(&third);
	return arg;
}

static long sleeper_tid;

static void *
sleep_long(void *arg)
{
	sleeper_tid = syscall(SYS_gettid);
	pthread_barrier_wait(&step);
	say("sleeper", 0);
	sleep(60);
	return arg;
}

static pthread_t
start(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) != 0)
		errx(2, "pthread_create");
	pthread_barrier_wait(&step);
	return thread;
}

/* Both have one lock and want the other's. */
static void *
deadlock(void *arg)
{
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&step);
	pthread_setname_np(pthread_self(), "other");
	pthread_mutex_lock(&first);
	return arg;
}

static void
init_locks(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inherits, &a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_NONE);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	pthread_barrier_init(&step, NULL, 2);
	sem_init(&semaphore, 0, 0);
	stream = tmpfile();
	holder = syscall(SYS_gettid);
	pthread_mutex_lock(&first);
	if (stream == NULL)
		err(2, "tmpfile");
}

static void
start_all(void)
{
	static void *(*const waiter[])(
	    void *) = { wait_mutex,  wait_timed,     wait_inherits, wait_robust,
			wait_reader, wait_writer,    wait_stream,   wait_middle,
			wait_middle, wait_condition, wait_semaphore };
	size_t i;

	pthread_mutex_lock(&third);
	pthread_mutex_lock(&inherits);
	pthread_mutex_lock(&robust);
	pthread_rwlock_wrlock(&written);
	flockfile(stream);
	sleeper = start(sleep_long, NULL);
	pthread_barrier_wait(&step);
	start(wait_join, &sleeper_tid);
	start(hold_middle, NULL);
	pthread_barrier_wait(&step);
	for (i = 0; i < sizeof(waiter) / sizeof(*waiter); i++)
		start(waiter[i], NULL);
}

int
main(int argc, char *argv[])
{
	const struct timespec nap = { 0, 50000000 };

	init_locks();
	if (argc > 1 && strcmp(argv[1], "deadlock") == 0) {
		start(deadlock, NULL);
		puts("ready");
		fflush(stdout);
		pthread_mutex_lock(&second);
	}
	start_all();
	nanosleep(&nap, NULL);
	puts("ready");
	fflush(stdout);
	sleep(60);
	return 0;
}
