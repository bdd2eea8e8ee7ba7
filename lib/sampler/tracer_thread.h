/* tracer_thread.h - a thread of real-time priority that lets stopped threads
 * go on. */
#ifndef TRACER_THREAD_H
#define TRACER_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A stopped thread stays stopped until its tracer has a CPU.  So a thread of
 * its own traces, always at a real-time priority if we may: it sleeps for most
 * of the time, and takes no CPU from others.  The rest of the work is that of
 * the main thread, at a priority that others can compete with.
 *
 * Both use the same memory, which belongs to whoever has the lock.  The main
 * thread has the lock except where it waits, and hands it over often.  While
 * the tracer waits for the lock, the main thread has a real-time priority, too.
 */
struct tracer_thread;

/* This signal tells the main thread that something has changed. */
#define TRACER_THREAD_NEWS SIGUSR1

/*
 * Start the thread; NULL and errno if there can be none.  It calls sigchld
 * without the lock when SIGCHLD has come, except within a call.  The calling
 * thread becomes the main thread and has the lock; its SIGCHLD and
 * TRACER_THREAD_NEWS are blocked.
 */
struct tracer_thread *tracer_thread_new(void (*sigchld)(void *arg), void *arg);

/* End the thread.  Threads that it traces go on. */
void tracer_thread_free(struct tracer_thread *t);

/* For the main thread. */

/* Run a function in the tracer, which has the lock, and wait for its end. */
void tracer_thread_call(struct tracer_thread *t, void (*run)(void *arg),
			void *arg);

/* If the tracer waits for the lock, let it have the lock for a moment. */
void tracer_thread_yield(struct tracer_thread *t);

/* The tracer has the lock when it wants, until it is taken back. */
void tracer_thread_unlock(struct tracer_thread *t);
void tracer_thread_lock(struct tracer_thread *t);

/*
 * Give up the lock until there are news, or a deadline is over: a time of
 * CLOCK_MONOTONIC in ns.  False if it is over.
 */
bool tracer_thread_wait(struct tracer_thread *t, uint64_t deadline);

/*
 * Give the main thread a real-time priority, or a normal one.  False if we may
 * not.
 */
bool tracer_thread_set_priority(struct tracer_thread *t, bool high);

/* For the tracer. */

/* Take the lock; false if that takes too long. */
bool tracer_thread_borrow(struct tracer_thread *t);
void tracer_thread_give_back(struct tracer_thread *t);

/*
 * Send TRACER_THREAD_NEWS to the main thread, or only if this SIGCHLD came
 * because a child of its own may have ended.
 */
void tracer_thread_notify(struct tracer_thread *t);
void tracer_thread_notify_of(struct tracer_thread *t, const siginfo_t *info);

/* Initialize a lock that lends its holder the priority of who waits for it. */
void tracer_thread_init_lock(pthread_mutex_t *lock);

#endif
