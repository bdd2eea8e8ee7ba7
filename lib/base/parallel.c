/* parallel.c - one list of work for several threads. */
#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/* Readers keep their tables on the heap. */
#define STACK_BYTES ((size_t)1 << 20)

/* Items from next on, up to end. */
struct parallel_range {
	atomic_size_t next;
	size_t end;
};

struct parallel {
	bool (*work)(void *arg, unsigned worker, size_t item);
	void *arg;
	unsigned n; /* workers, each with a range to begin with */
	struct parallel_range range[PARALLEL_MAX];
	atomic_bool failed;
};

struct parallel_worker {
	struct parallel *all;
	unsigned number;
	pthread_t thread;
};

static void *
run(void *arg)
{
	const struct parallel_worker *w = arg;
	struct parallel *all = w->all;
	struct parallel_range *range;
	size_t item;
	unsigned i;

	/* Items near each other share what a worker keeps. */
	for (i = 0; i < all->n; i++) {
		range = &all->range[(w->number + i) % all->n];
		while (!all->failed && (item = range->next++) < range->end) {
			if (!all->work(all->arg, w->number, item))
				all->failed = true;
		}
	}
	return NULL;
}

/* Begin the other workers; returns how many there are with the caller. */
static unsigned
begin(struct parallel *all, struct parallel_worker *worker, unsigned threads)
{
	pthread_attr_t attr;
	sigset_t every, old;
	unsigned i;

	if (pthread_attr_init(&attr) != 0)
		return 1;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Signals go to the thread that has their handlers' data. */
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	for (i = 1; i < threads; i++) {
		worker[i] = (struct parallel_worker){ .all = all, .number = i };
		if (pthread_create(&worker[i].thread, &attr, run, &worker[i]) !=
		    0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return i;
}

bool
parallel_each(unsigned threads, size_t n,
	      bool (*work)(void *arg, unsigned worker, size_t item), void *arg)
{
	struct parallel all = { .work = work, .arg = arg };
	struct parallel_worker worker[PARALLEL_MAX] = { { .all = &all } };
	unsigned i;

	if (threads > PARALLEL_MAX)
		threads = PARALLEL_MAX;
	if (threads > n)
		threads = (unsigned)n;
	all.n = threads > 0 ? threads : 1;
	for (i = 0; i < all.n; i++) {
		all.range[i].next = n / all.n * i;
		all.range[i].end = i + 1 < all.n ? n / all.n * (i + 1) : n;
	}
	threads = begin(&all, worker, all.n);
	run(&worker[0]);
	for (i = 1; i < threads; i++)
		pthread_join(worker[i].thread, NULL);
	return !all.failed;
}
