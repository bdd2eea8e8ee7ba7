/* tracer_thread.c - a thread of real-time priority that lets stopped threads go
 * on. */
#include "sampler/tracer_thread.h"

#include "base/mem.h"
#include "os/clock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

/*
 * How long threads may stay stopped while the main thread does work that it
 * does not interrupt, such as to read a file.  After that they are released
 * without a copy.
 */
#define LOCK_NS 400000

/* The tracer is above the main thread, which is above others for a while. */
enum { TRACER_PRIORITY = 6, MAIN_PRIORITY = 5, NICE = -15 };

struct tracer_thread {
	pthread_t main_thread, thread;
	pid_t main_tid;
	pthread_mutex_t lock;
	atomic_bool is_wanted; /* the tracer waits for the lock */
	bool is_raised;        /* and has raised the main thread's priority */

	pthread_mutex_t priority_lock;
	bool is_high; /* the priority that the main thread has otherwise */
	void (*sigchld)(void *arg);
	void *arg;

	/* A call of the main thread; NULL: none. */
	void (*_Atomic run)(void *arg);
	void *run_arg;
	sem_t done;
	bool ends; /* set by the last call */
};

/* Give a thread a priority above all threads of the target, or a normal one. */
static bool
set_priority(pid_t tid, int priority)
{
	const struct sched_param p = { .sched_priority = priority };

	return sched_setscheduler(tid,
				  (priority > 0 ? SCHED_FIFO : SCHED_OTHER) |
				      SCHED_RESET_ON_FORK,
				  &p) == 0;
}

static void
handle_call(struct tracer_thread *t)
{
	void (*run)(void *arg) = atomic_load(&t->run);

	/* Anybody may send this signal. */
	if (run == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	run(t->run_arg);
	atomic_store(&t->run, NULL);
	pthread_mutex_unlock(&t->lock);
	sem_post(&t->done);
}

static void *
trace(void *arg)
{
	struct tracer_thread *t = arg;
	siginfo_t info;
	sigset_t set;

	/* Without permission, a stop includes our wait for a CPU. */
	set_priority(0, TRACER_PRIORITY);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, TRACER_THREAD_NEWS);
	while (!t->ends) {
		if (sigwaitinfo(&set, &info) == SIGCHLD) {
			t->sigchld(t->arg);
			tracer_thread_notify_of(t, &info);
		} else {
			handle_call(t);
		}
	}
	return NULL;
}

void
tracer_thread_init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &a);
	pthread_mutexattr_destroy(&a);
}

struct tracer_thread *
tracer_thread_new(void (*sigchld)(void *arg), void *arg)
{
	struct tracer_thread *t = mem_zero(1, sizeof(*t));
	sigset_t all, old;
	int error;

	t->main_thread = pthread_self();
	t->main_tid = gettid();
	t->sigchld = sigchld;
	t->arg = arg;
	sem_init(&t->done, 0, 0);
	pthread_mutex_init(&t->lock, NULL);
	pthread_mutex_init(&t->priority_lock, NULL);
	tracer_thread_lock(t);
	/* For the tracer as well, if it may not have more. */
	setpriority(PRIO_PROCESS, 0, NICE);
	/* All other signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&t->thread, NULL, trace, t);
	sigaddset(&old, SIGCHLD);
	sigaddset(&old, TRACER_THREAD_NEWS);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error != 0) {
		free(t);
		errno = error;
		return NULL;
	}
	return t;
}

static void
end(void *arg)
{
	struct tracer_thread *t = arg;

	t->ends = true;
}

void
tracer_thread_free(struct tracer_thread *t)
{
	tracer_thread_call(t, end, t);
	pthread_join(t->thread, NULL);
	tracer_thread_unlock(t);
	pthread_mutex_destroy(&t->lock);
	pthread_mutex_destroy(&t->priority_lock);
	sem_destroy(&t->done);
	free(t);
}

void
tracer_thread_call(struct tracer_thread *t, void (*run)(void *arg), void *arg)
{
	t->run_arg = arg;
	atomic_store(&t->run, run);
	tracer_thread_unlock(t);
	pthread_kill(t->thread, TRACER_THREAD_NEWS);
	while (sem_wait(&t->done) != 0)
		continue;
	tracer_thread_lock(t);
}

void
tracer_thread_unlock(struct tracer_thread *t)
{
	pthread_mutex_unlock(&t->lock);
}

void
tracer_thread_lock(struct tracer_thread *t)
{
	pthread_mutex_lock(&t->lock);
}

void
tracer_thread_yield(struct tracer_thread *t)
{
	if (!atomic_load(&t->is_wanted))
		return;
	tracer_thread_unlock(t);
	/* Do not take it back before the tracer has woken up. */
	while (atomic_load(&t->is_wanted))
		sched_yield();
	tracer_thread_lock(t);
}

bool
tracer_thread_wait(struct tracer_thread *t, uint64_t deadline)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct timespec rest;
	sigset_t news;

	if (now >= deadline)
		return false;
	rest.tv_sec = (time_t)((deadline - now) / SECOND);
	rest.tv_nsec = (long)((deadline - now) % SECOND);
	sigemptyset(&news);
	sigaddset(&news, TRACER_THREAD_NEWS);
	tracer_thread_unlock(t);
	sigtimedwait(&news, NULL, &rest);
	tracer_thread_lock(t);
	return true;
}

/* The main thread sets its priority itself if it has the lock for that. */
static void
restore_priority(struct tracer_thread *t)
{
	if (!t->is_raised || pthread_mutex_trylock(&t->priority_lock) != 0)
		return;
	if (!t->is_high)
		set_priority(t->main_tid, 0);
	pthread_mutex_unlock(&t->priority_lock);
	t->is_raised = false;
}

/*
 * Not with PTHREAD_PRIO_INHERIT: Linux 6.18 does not look at the deadline while
 * who has the lock runs on another CPU.
 */
bool
tracer_thread_borrow(struct tracer_thread *t)
{
	const uint64_t deadline = clock_ns(CLOCK_REALTIME) + LOCK_NS;
	const struct timespec time = { .tv_sec = (time_t)(deadline / SECOND),
				       .tv_nsec = (long)(deadline % SECOND) };
	bool ok;

	if (pthread_mutex_trylock(&t->lock) == 0)
		return true;
	atomic_store(&t->is_wanted, true);
	t->is_raised = set_priority(t->main_tid, MAIN_PRIORITY);
	ok = pthread_mutex_timedlock(&t->lock, &time) == 0;
	atomic_store(&t->is_wanted, false);
	if (!ok)
		restore_priority(t);
	return ok;
}

void
tracer_thread_give_back(struct tracer_thread *t)
{
	restore_priority(t);
	pthread_mutex_unlock(&t->lock);
}

bool
tracer_thread_set_priority(struct tracer_thread *t, bool high)
{
	bool ok;

	pthread_mutex_lock(&t->priority_lock);
	ok = set_priority(t->main_tid, high ? MAIN_PRIORITY : 0);
	t->is_high = high && ok;
	pthread_mutex_unlock(&t->priority_lock);
	return ok;
}

void
tracer_thread_notify(struct tracer_thread *t)
{
	pthread_kill(t->main_thread, TRACER_THREAD_NEWS);
}

void
tracer_thread_notify_of(struct tracer_thread *t, const siginfo_t *info)
{
	if (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED)
		tracer_thread_notify(t);
}
