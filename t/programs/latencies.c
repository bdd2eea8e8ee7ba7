/*
 * latencies - calls of handle() that are known to be slow, and why.
 *
 *	latencies CALLS
 *
 * Each of two threads makes so many.  A call works for 100 us, half of that in
 * a call within it if it is one in ten, and naps for 200 us.  Of twenty, one
 * goes by slow_path(), which works for 2 ms more; of a hundred, another one
 * finds a lock taken, and waits for it about 8 ms in locked_update().
 *
 * Prints a line for each call: what it was, and how many ns it took; what of
 * these in slow_path(), in locked_update(), and in nap().
 */
#include <err.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

struct worker {
	unsigned n;
	struct call {
		char kind; /* fast, slow, locked */
		uint64_t took, slow, locked, napped;
	} * call;
	pthread_mutex_t lock;
	sem_t go, taken;
	pthread_t worker, holder;
};

static volatile uint64_t sink;

static uint64_t
now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Work for a time of this thread's own. */
static NOINLINE void
work(unsigned us)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + 1000 * us;
	unsigned i;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
		for (i = 0; i < 500; i++)
			sink += i * sink + 1;
	}
}

static NOINLINE void
slow_path(struct call *c)
{
	uint64_t began = now(CLOCK_MONOTONIC);

	work(2000);
	c->slow = now(CLOCK_MONOTONIC) - began;
}

/*
 * A frame that the functions of libc, which keep no frame pointer, may hide
 * from who walks the stack by these.
 */
static NOINLINE void
take(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	sink++;
}

static NOINLINE void
locked_update(struct worker *w, struct call *c)
{
	uint64_t began = now(CLOCK_MONOTONIC);

	take(w);
	pthread_mutex_unlock(&w->lock);
	c->locked = now(CLOCK_MONOTONIC) - began;
}

static NOINLINE void
sleep_us(unsigned us)
{
	nanosleep(&(struct timespec){ 0, 1000L * us }, NULL);
	sink++;
}

static NOINLINE void
nap(struct call *c)
{
	uint64_t began = now(CLOCK_MONOTONIC);

	sleep_us(200);
	c->napped = now(CLOCK_MONOTONIC) - began;
}

NOINLINE void
handle(struct worker *w, struct call *c, unsigned us)
{
	work(us);
	if (us == 50)
		handle(w, c, us + 1);
	if (us == 51)
		return;
	if (c->kind == 's')
		slow_path(c);
	if (c->kind == 'l')
		locked_update(w, c);
	nap(c);
	sink++;
}

/* Takes the lock when it is told to, and keeps it. */
static void *
hold(void *arg)
{
	struct worker *w = arg;

	for (;;) {
		sem_wait(&w->go);
		pthread_mutex_lock(&w->lock);
		sem_post(&w->taken);
		nanosleep(&(struct timespec){ 0, 8000000 }, NULL);
		pthread_mutex_unlock(&w->lock);
	}
	return NULL;
}

static void *
serve(void *arg)
{
	struct worker *w = arg;
	struct call *c;
	uint64_t began;
	unsigned i;

	for (i = 0; i < w->n; i++) {
		c = &w->call[i];
		c->kind = i % 20 == 7 ? 's' : i % 100 == 55 ? 'l' : 'f';
		if (c->kind == 'l') {
			sem_post(&w->go);
			sem_wait(&w->taken);
		}
		began = now(CLOCK_MONOTONIC);
		handle(w, c, i % 10 == 3 ? 50 : 100);
		c->took = now(CLOCK_MONOTONIC) - began;
		work(20);
	}
	return NULL;
}

static void
start(struct worker *w, unsigned n)
{
	w->n = n;
	w->call = calloc(n, sizeof(*w->call));
	if (w->call == NULL)
		err(2, NULL);
	pthread_mutex_init(&w->lock, NULL);
	sem_init(&w->go, 0, 0);
	sem_init(&w->taken, 0, 0);
	pthread_create(&w->holder, NULL, hold, w);
	pthread_create(&w->worker, NULL, serve, w);
}

int
main(int argc, char *argv[])
{
	static struct worker worker[2];
	const struct call *c;
	unsigned i, n;

	n = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
	if (n == 0)
		errx(2, "usage: latencies calls");
	for (i = 0; i < 2; i++)
		start(&worker[i], n);
	for (i = 0; i < 2; i++)
		pthread_join(worker[i].worker, NULL);
	for (i = 0; i < 2 * n; i++) {
		c = &worker[i / n].call[i % n];
		printf("%c %ju %ju %ju %ju\n", c->kind, (uintmax_t)c->took,
		       (uintmax_t)c->slow, (uintmax_t)c->locked,
		       (uintmax_t)c->napped);
	}
	return 0;
}
