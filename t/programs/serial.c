/*
 * serial - preloaded into a command that uses threads, says on standard error
 * how much of its CPU time no second CPU could have shared: "TOTAL SERIAL
 * LOCKED" in milliseconds.  Serial is what the first thread does while there
 * is no other, and locked what threads do while they hold the one lock that is
 * held longest.  CPU clocks of threads are what load on the machine does not
 * change much.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Locks whose time is counted; later ones share the last place. */
enum { LOCKS = 4096 };

struct lock {
	_Atomic(const void *) of;
	_Atomic uint64_t held;
};

static struct lock locks[LOCKS];
static uint64_t serial, last;
static unsigned living;
static __thread uint64_t since;
static pthread_t first;

static uint64_t
cpu(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *
next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static struct lock *
find(const void *of)
{
	size_t i = (uintptr_t)of / sizeof(void *) % LOCKS, n;
	const void *none;

	for (n = 0; n < LOCKS - 1; n++, i = (i + 1) % LOCKS) {
		none = NULL;
		if (locks[i].of == of ||
		    atomic_compare_exchange_strong(&locks[i].of, &none, of))
			break;
		if (locks[i].of == of)
			break;
	}
	return &locks[i];
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	       void *(*run)(void *), void *arg)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);

	if (real == NULL)
		*(void **)&real = next("pthread_create");
	if (living == 0) {
		first = pthread_self();
		serial += cpu(CLOCK_THREAD_CPUTIME_ID) - last;
	}
	living++;
	return real(thread, attr, run, arg);
}

int
pthread_join(pthread_t thread, void **result)
{
	static int (*real)(pthread_t, void **);
	int status;

	if (real == NULL)
		*(void **)&real = next("pthread_join");
	status = real(thread, result);
	if (--living == 0)
		last = cpu(CLOCK_THREAD_CPUTIME_ID);
	return status;
}

int
pthread_mutex_lock(pthread_mutex_t *lock)
{
	static int (*real)(pthread_mutex_t *);
	int status;

	if (real == NULL)
		*(void **)&real = next("pthread_mutex_lock");
	status = real(lock);
	if (living > 0)
		since = cpu(CLOCK_THREAD_CPUTIME_ID);
	return status;
}

int
pthread_mutex_unlock(pthread_mutex_t *lock)
{
	static int (*real)(pthread_mutex_t *);

	if (real == NULL)
		*(void **)&real = next("pthread_mutex_unlock");
	if (living > 0 && since > 0)
		find(lock)->held += cpu(CLOCK_THREAD_CPUTIME_ID) - since;
	since = 0;
	return real(lock);
}

__attribute__((destructor)) static void
report(void)
{
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < LOCKS; i++)
		if (locks[i].held > most)
			most = locks[i].held;
	serial += cpu(CLOCK_THREAD_CPUTIME_ID) - last;
	dprintf(2, "serial: %.1f %.1f %.1f\n",
		(double)cpu(CLOCK_PROCESS_CPUTIME_ID) / 1e6,
		(double)serial / 1e6, (double)most / 1e6);
}
