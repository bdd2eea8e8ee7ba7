/* hold.h - threads that run, held for as long as a copy of them takes. */
#ifndef HOLD_H
#define HOLD_H

#include "buf.h"
#include "registers.h"

/*
 * A thread is taken by ptrace(2): PTRACE_SEIZE, PTRACE_INTERRUPT, its
 * registers and its stack, PTRACE_DETACH.  Whoever does so and is killed in
 * between leaves nothing stopped.  Never PTRACE_ATTACH, which does.
 */
struct holder;

/*
 * SIGCHLD is blocked from here on, which tells of threads that have stopped.
 * With the right to, threads are held at a priority above all ordinary ones.
 */
struct holder *holder_new(void);
void holder_free(struct holder *h);

/* What of a stack to copy, from the stack pointer on. */
struct hold_extent {
	size_t (*of)(void *arg, uint64_t sp);
	void *arg;
};

struct held_thread {
	struct registers registers;
	struct buf stack; /* freed by the caller; used again and again */
};

enum hold_end {
	HOLD_DONE,
	HOLD_GONE,    /* there is no such thread any more */
	HOLD_DENIED,  /* by errno, as EPERM where somebody else traces it */
	HOLD_LATE,    /* it has not stopped yet */
	HOLD_FOREIGN, /* it is of 32 bits */
};

/*
 * Have a thread of a process stop, for hold_next(): HOLD_LATE, or why it will
 * not.
 */
enum hold_end hold_ask(struct holder *h, int64_t pid, int64_t tid);

/*
 * Copy one that has stopped by now, in whatever order they do, and let it go.
 * Signals that came are passed on to it, and one that was stopped by job
 * control stays so.  To be called often, so that none is held for long.  False
 * if there is none, or none stops before a time of CLOCK_MONOTONIC, in ns; 0:
 * do not wait.
 */
bool hold_next(struct holder *h, uint64_t until,
	       const struct hold_extent *extent, struct held_thread *thread,
	       int64_t *tid, enum hold_end *end);

/*
 * One that has a CPU stops in so many ns.  To wait no longer is done without
 * sleeping: it would stay stopped while we wake.
 */
#define HOLD_SOON 25000

/* Several of a process at once: each end is one of those above. */
struct hold_request {
	int64_t tid;
	struct held_thread *thread;
	enum hold_end end;
};

void hold_threads(struct holder *h, int64_t pid,
		  const struct hold_extent *extent,
		  struct hold_request *request, size_t n);

/*
 * Let go of the late ones that have stopped.  To be called whenever SIGCHLD
 * comes, and now and then.
 */
void hold_late(struct holder *h);

/*
 * Do other work: late ones are let go by a signal's handler as they stop,
 * until hold_ready() or a hold.
 */
void hold_leave(struct holder *h);

/*
 * The same, for long: wait for late ones until a time of CLOCK_MONOTONIC, and
 * be ordinary then, however many are left.
 */
void hold_rest(struct holder *h, uint64_t until);

/* Be at the priority of a hold already, so that a sleep ends when it should. */
void hold_ready(struct holder *h);

/* The same as a round begins: others wait as we wait for a CPU. */
void hold_begin(struct holder *h);

/* Be ordinary again until the next hold, if the round is a long one. */
void hold_calm(struct holder *h);

/* How often, and how many system calls of theirs have ended with EINTR. */
uint64_t hold_count(const struct holder *h);
uint64_t hold_interrupts(const struct holder *h);

/*
 * Copy memory of a process, by any of its threads: as many bytes as there
 * are, up to n.
 */
size_t hold_read(int64_t tid, uint64_t address, void *to, size_t n);

#endif
