/* stop_results.c - copies of stopped threads, between two threads of ours. */
#include "sampler/stop_results.h"

#include "base/mem.h"
#include "sampler/tracer_thread.h"

#include <stdlib.h>

struct stop_result {
	pid_t tid;
	enum ptrace_stop_result result;
	struct stopped_thread thread; /* if that is PTRACE_STOP_DONE */
};

void
stop_results_init(struct stop_results *all)
{
	*all = (struct stop_results){ 0 };
	tracer_thread_init_lock(&all->lock);
}

void
stop_results_free_thread(struct stopped_thread *thread)
{
	buf_free(&thread->stack);
	interp_stack_free(&thread->vm);
}

void
stop_results_free(struct stop_results *all)
{
	size_t i;

	for (i = 0; i < all->cap; i++)
		stop_results_free_thread(&all->result[i].thread);
	free(all->result);
	pthread_mutex_destroy(&all->lock);
}

static struct stop_result *
add(struct stop_results *all)
{
	const size_t old = all->cap;

	all->result = mem_grow(all->result, &all->cap, all->last + 1,
			       sizeof(*all->result));
	if (all->cap > old)
		memset(all->result + old, 0,
		       (all->cap - old) * sizeof(*all->result));
	return &all->result[all->last++];
}

static void
exchange(struct stopped_thread *a, struct stopped_thread *b)
{
	const struct stopped_thread spare = *a;

	*a = *b;
	*b = spare;
}

void
stop_results_add(struct stop_results *all, pid_t tid,
		 enum ptrace_stop_result result, struct stopped_thread *thread)
{
	struct stop_result *r;

	pthread_mutex_lock(&all->lock);
	r = add(all);
	r->tid = tid;
	r->result = result;
	if (result == PTRACE_STOP_DONE)
		exchange(&r->thread, thread);
	pthread_mutex_unlock(&all->lock);
}

bool
stop_results_take(struct stop_results *all, struct stopped_thread *thread,
		  int64_t *tid, enum ptrace_stop_result *result)
{
	struct stop_result *r;
	bool found;

	pthread_mutex_lock(&all->lock);
	found = all->first < all->last;
	if (found) {
		r = &all->result[all->first++];
		*tid = r->tid;
		*result = r->result;
		exchange(&r->thread, thread);
	} else {
		all->first = all->last = 0;
	}
	pthread_mutex_unlock(&all->lock);
	return found;
}

bool
stop_results_has(struct stop_results *all, pid_t tid)
{
	bool found = false;
	size_t i;

	pthread_mutex_lock(&all->lock);
	for (i = all->first; i < all->last && !found; i++)
		found = all->result[i].tid == tid;
	pthread_mutex_unlock(&all->lock);
	return found;
}
