/* stop_results.h - copies of stopped threads, between two threads of ours. */
#ifndef STOP_RESULTS_H
#define STOP_RESULTS_H

#include "sampler/ptrace_stop.h"

#include <pthread.h>

/*
 * Threads that are not pending any more.  The tracer adds them, the main thread
 * takes them; the buffers of their copies are used again.
 */
struct stop_results {
	/* Not that of struct tracer_thread, which is not always to be had. */
	pthread_mutex_t lock;
	struct stop_result *result; /* all cap elements are initialized */
	size_t first, last, cap;
};

void stop_results_init(struct stop_results *all);
void stop_results_free(struct stop_results *all);

/* Add one; if it was copied, *thread is exchanged for buffers to use. */
void stop_results_add(struct stop_results *all, pid_t tid,
		      enum ptrace_stop_result result,
		      struct stopped_thread *thread);

/* Take the first one, in exchange for the buffers in *thread. */
bool stop_results_take(struct stop_results *all, struct stopped_thread *thread,
		       int64_t *tid, enum ptrace_stop_result *result);

/* Whether there is one of this thread. */
bool stop_results_has(struct stop_results *all, pid_t tid);

void stop_results_free_thread(struct stopped_thread *thread);

#endif
