/* cpython_tasks.h - suspended tasks of asyncio. */
#ifndef CPYTHON_TASKS_H
#define CPYTHON_TASKS_H

#include "interp/cpython_layout.h"
#include "interp/cpython_lists.h"
#include "interp/interp_stack.h"

/* Where the sets of tasks of a process are, and what was read of them. */
struct cpython_tasks;

/* A task; its frames are part of the stack that they were read into. */
struct cpython_task {
	uint64_t address;
	size_t begin, end; /* of its frames, leaf first */
	bool ready;        /* it is to run; otherwise it waits */
};

/* The layout is the caller's. */
struct cpython_tasks *cpython_tasks_new(const struct cpython_layout *l);
void cpython_tasks_free(struct cpython_tasks *all);

/* Whether asyncio lists its tasks: from 3.14 on. */
bool cpython_tasks_are_listed(const struct cpython_layout *l);

/*
 * From 3.14 on: where asyncio lists its tasks.  Without that, which a process
 * has when it has loaded asyncio, there are none.
 */
void cpython_tasks_set_lists(struct cpython_tasks *all,
			     const struct cpython_lists *lists);

/*
 * Begin to read all tasks of interpreters; head is the address of the first
 * one's address; now is in ns.  The reader is borrowed until the last
 * cpython_tasks_next() and cpython_tasks_name().
 */
void cpython_tasks_begin(struct cpython_tasks *all,
			 const struct interp_reader *reader, uint64_t head,
			 uint64_t now);

/*
 * Add what a set refers to weakly.  cpython_tasks_begin() does so with the sets
 * of asyncio.
 */
void cpython_tasks_add_set(struct cpython_tasks *all, uint64_t set);

/*
 * Add the tasks of a list, whose head is at this address.
 * cpython_tasks_begin() does so with those of all interpreters and threads.
 */
void cpython_tasks_add_list(struct cpython_tasks *all, uint64_t head);

/*
 * Read some tasks, whose frames replace those of the stack.  Returns how many,
 * 0 at the end.  The array is valid until the next call.
 */
size_t cpython_tasks_next(struct cpython_tasks *all, struct interp_stack *s,
			  const struct cpython_task **task);

/* How many tasks changed while they were read, or are too many or too deep. */
size_t cpython_tasks_unread(const struct cpython_tasks *all);

/* Read the name of a task; empty if it has none, as in 3.7. */
void cpython_tasks_name(struct cpython_tasks *all,
			const struct cpython_task *task, struct buf *name);

#endif
