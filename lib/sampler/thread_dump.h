/* thread_dump.h - all threads once, those with equal stacks together. */
#ifndef THREAD_DUMP_H
#define THREAD_DUMP_H

#include "base/intern.h"
#include "sampler/sampler.h"

struct thread_dump;

struct thread_dump *thread_dump_new(void);
void thread_dump_free(struct thread_dump *d);

/*
 * Add a thread and the names of its frames, leaf first.  The first is its
 * state, as "state:futex".
 */
void thread_dump_add(struct thread_dump *d, const struct thread_sample *s,
		     const struct intern *names, const uint32_t *id, size_t n);

/* Forget all threads. */
void thread_dump_clear(struct thread_dump *d);

/*
 * Write the threads to standard output, process by process: those that run
 * first, then the largest groups.
 */
void thread_dump_write(struct thread_dump *d);

#endif
