/* futex_owner.h - what a thread waits for in futex(2), and which thread has it.
 */
#ifndef FUTEX_OWNER_H
#define FUTEX_OWNER_H

#include "os/proctext.h"

enum futex_kind {
	FUTEX_UNKNOWN, /* nothing that has an owner, as a condition variable */
	FUTEX_LOCK,    /* a mutex, a lock of stdio, or a writer's rwlock */
	FUTEX_READERS, /* a readers' rwlock, which stores no owners */
	FUTEX_JOIN     /* the end of a thread */
};

struct futex_wait {
	enum futex_kind kind;
	int64_t owner; /* thread id as the process sees it; 0: unknown */
};

/* The process of the thread that waits. */
struct futex_target {
	int64_t tid;   /* of the thread that waits, as the process sees it */
	bool is_glibc; /* else some values mean other things */
	/* Copies memory of the process; returns how many bytes it could. */
	size_t (*read)(void *arg, uint64_t address, void *to, size_t n);
	/* Whether the process has a thread of this id, as it sees it. */
	bool (*has_thread)(void *arg, int64_t tid);
	void *arg;
};

/* Arguments of a call of futex(2) in a process of 64 bits. */
struct futex_wait futex_owner_find(const struct futex_target *target,
				   const struct proc_call *call);

#endif
