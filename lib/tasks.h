/* tasks.h - the threads of a process that runs. */
#ifndef TASKS_H
#define TASKS_H

#include "look.h"
#include "stackof.h"
#include "target.h"

struct task {
	struct look_files files;
	bool gone;
	char state;
	struct buf name, wchan;
	uint64_t seen, named; /* when it was first seen, and its name read */
	uint64_t time;        /* when it was looked at, */
	struct look look;
	bool wanted;     /* and is to be taken yet, */
	bool stood_long; /* as it was when it was last looked at */

	/* Its frames, as of the last stack that was taken of it. */
	struct stack_frames frames;
	/* They are of when it waited and was last looked at. */
	bool standing;
	unsigned stood; /* over so many looks since then */
	struct look last;
	/* Or of this stack, if there is one. */
	struct buf kept;
	uint64_t kept_sp, kept_pc;
};

struct tasks {
	struct target target;
	bool looked;        /* at its memory, in this round */
	bool stale;         /* one of the threads has gone */
	struct task **task; /* by tid */
	size_t n, cap;
	struct task **next;
	size_t next_cap;
	int64_t *tid;
	size_t tid_cap;
};

struct tasks *tasks_new(int64_t pid);
void tasks_free(struct tasks *p);

bool tasks_exists(int64_t pid);

/* Find new threads, and forget old ones; false if the process is gone. */
bool tasks_list(struct tasks *p);

/* Read its name, its state, and where it waits. */
void tasks_describe(struct task *t);

/* Whether it has ended, or ends. */
bool tasks_has_ended(const struct task *t);

/*
 * The name of a system call that a thread waits in, as it was last described;
 * empty if it is in none.
 */
struct str tasks_call(const struct task *t, const struct proc_call *call);

/*
 * Whether a thread that waits in this call can be stopped without its caller
 * seeing EINTR for it.
 */
bool tasks_restarts(const struct task *t, const struct proc_call *call);

/* Of CLOCK_MONOTONIC, in ns. */
uint64_t tasks_now(void);

#endif
