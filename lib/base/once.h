/* once.h - what several threads need, and the first one makes. */
#ifndef ONCE_H
#define ONCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* All zero: nothing is made yet.  Nothing is to be released. */
struct once {
	atomic_bool made;
	pthread_mutex_t lock;
};

/*
 * True for the first caller, who makes it and then calls once_end().  Others
 * wait until then.
 */
static inline bool
once_begin(struct once *o)
{
	if (atomic_load_explicit(&o->made, memory_order_acquire))
		return false;
	pthread_mutex_lock(&o->lock);
	if (!atomic_load_explicit(&o->made, memory_order_relaxed))
		return true;
	pthread_mutex_unlock(&o->lock);
	return false;
}

static inline void
once_end(struct once *o)
{
	atomic_store_explicit(&o->made, true, memory_order_release);
	pthread_mutex_unlock(&o->lock);
}

#endif
