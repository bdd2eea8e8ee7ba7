/* hold.c - threads that run, held for as long as a copy of them takes. */
#include "hold.h"

#include "mem.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

/*
 * For how long to wait for several together: one that has a CPU stops sooner,
 * others wait for one, or are in a disk's hands.
 */
#define PATIENCE_NS 20000000

enum { PRIORITY = 5, NICE = -15 };

/*
 * For how long a round may keep others from a CPU without holding them; and if
 * any late one may stop at any moment, and would stay so until we get a CPU.
 */
#define ROUND_NS 1000000
#define LATE_NS 5000000

/* Seized, and told to stop, but has not yet. */
struct late {
	pid_t pid, tid;
	bool executed; /* and has the number of its process since */
	bool ended;    /* and its end was waited for */
};

struct holder {
	bool has_fifo, high, unattended;
	bool unseen; /* one may have ended, without a signal to come */
	struct late *late;
	size_t n, cap;
	uint64_t began; /* the round */
	uint64_t holds, interrupts;
	sigset_t chld;
};

/* Whose late ones the handler of SIGCHLD attends to, if it is not blocked. */
static struct holder *left;

static void let_late_go(struct holder *h);
static void bury(struct holder *h);

static void
on_child(int sig)
{
	const int error = errno;

	(void)sig;
	if (left->unattended)
		let_late_go(left);
	else
		bury(left);
	errno = error;
}

/* Be above all threads of the target, or an ordinary thread again. */
static bool
set_priority(bool high)
{
	struct sched_param p = { .sched_priority = high ? PRIORITY : 0 };

	return sched_setscheduler(
		   0, (high ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK,
		   &p) == 0;
}

struct holder *
holder_new(void)
{
	struct holder *h = mem_zero(1, sizeof(*h));
	const struct sigaction action = { .sa_handler = on_child,
					  .sa_flags = SA_RESTART };

	sigemptyset(&h->chld);
	sigaddset(&h->chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &h->chld, NULL);
	left = h;
	sigaction(SIGCHLD, &action, NULL);
	/* Without the right to either, waiting for a CPU is part of a hold. */
	h->has_fifo = set_priority(true) && set_priority(false);
	setpriority(PRIO_PROCESS, 0, NICE);
	return h;
}

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void
attend(struct holder *h)
{
	if (h->unattended)
		sigprocmask(SIG_BLOCK, &h->chld, NULL);
	h->unattended = false;
}

void
hold_ready(struct holder *h)
{
	attend(h);
	if (h->has_fifo && !h->high)
		h->high = set_priority(true);
}

void
hold_begin(struct holder *h)
{
	hold_ready(h);
	h->began = now();
}

static void
be_ordinary(struct holder *h)
{
	if (h->high)
		set_priority(false);
	h->high = false;
}

void
hold_calm(struct holder *h)
{
	if (h->high && now() - h->began > (h->n > 0 ? LATE_NS : ROUND_NS))
		be_ordinary(h);
}

void
hold_leave(struct holder *h)
{
	if (h->n == 0) {
		be_ordinary(h);
	} else if (!h->unattended) {
		h->unattended = true;
		sigprocmask(SIG_UNBLOCK, &h->chld, NULL);
	}
}

void
holder_free(struct holder *h)
{
	attend(h);
	free(h->late);
	free(h);
}

uint64_t
hold_count(const struct holder *h)
{
	return h->holds;
}

uint64_t
hold_interrupts(const struct holder *h)
{
	return h->interrupts;
}

size_t
hold_read(int64_t tid, uint64_t address, void *to, size_t n)
{
	struct iovec here = { to, n };
	struct iovec there = { (void *)(uintptr_t)address, n };
	ssize_t got = process_vm_readv((pid_t)tid, &here, 1, &there, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

/* Threads that stop too late. */

static pid_t
number_of(const struct late *t)
{
	return t->executed ? t->pid : t->tid;
}

static bool
is_late(const struct holder *h, pid_t tid)
{
	size_t i;

	for (i = 0; i < h->n; i++) {
		if (number_of(&h->late[i]) == tid)
			return true;
	}
	return false;
}

static void
add_late(struct holder *h, const struct late *t)
{
	h->late = mem_grow(h->late, &h->cap, h->n + 1, sizeof(*h->late));
	h->late[h->n++] = *t;
}

/*
 * As waitpid(2).  A thread that executes a program takes the number of its
 * process, forgets that it was told to stop, and is seized still: a signal
 * would stop it for good.
 */
static pid_t
look(struct late *t, int *status)
{
	pid_t got = t->ended ? -1 :
			       waitpid(number_of(t), status, __WALL | WNOHANG);

	if (got >= 0 || t->ended || t->executed || t->tid == t->pid ||
	    ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL) != 0)
		return got;
	t->executed = true;
	return 0;
}

/*
 * The signal to pass on to a thread that is let go in a stop: one of our own
 * making, or of job control's, has none.
 */
static int
signal_of(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
}

/*
 * Let go of a thread in a stop.  False if it was killed meanwhile: it is ours
 * still, and its end is to be waited for.
 */
static bool
let_go(pid_t tid, int status)
{
	return ptrace(PTRACE_DETACH, tid, NULL,
		      (void *)(intptr_t)signal_of(status)) == 0;
}

/* Wait until a thread may have stopped; false if it is too late for that. */
static bool
await(const struct holder *h, uint64_t until)
{
	const uint64_t time = now();
	struct timespec rest;

	if (time >= until)
		return false;
	if (until - time <= HOLD_SOON)
		return true;
	rest.tv_sec = (time_t)((until - time) / 1000000000);
	rest.tv_nsec = (long)((until - time) % 1000000000);
	sigtimedwait(&h->chld, NULL, &rest);
	return true;
}

static void
let_late_go(struct holder *h)
{
	size_t i, kept = 0;
	int status;
	pid_t got;

	for (i = 0; i < h->n; i++) {
		got = look(&h->late[i], &status);
		if (got == 0 ||
		    (got > 0 && WIFSTOPPED(status) && !let_go(got, status)))
			h->late[kept++] = h->late[i];
	}
	h->n = kept;
	h->unseen = false;
}

void
hold_late(struct holder *h)
{
	attend(h);
	let_late_go(h);
}

/* Whether it has ended; stops are told of, too, however little asked for. */
static bool
has_ended(pid_t tid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)tid, &info,
		      __WALL | WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0 && info.si_code != CLD_TRAPPED &&
	       info.si_code != CLD_STOPPED;
}

void
hold_rest(struct holder *h, uint64_t until)
{
	hold_late(h);
	while (h->n > 0 && await(h, until))
		let_late_go(h);
	hold_leave(h);
	be_ordinary(h);
}

/* Wait for the ends of late ones, which stay in the list. */
static void
bury(struct holder *h)
{
	struct late *t;
	size_t i;

	for (i = 0; i < h->n; i++) {
		t = &h->late[i];
		if (!t->ended && has_ended(number_of(t)))
			t->ended = waitpid(number_of(t), NULL,
					   __WALL | WNOHANG) > 0;
	}
	h->unseen = false;
}

/* One thread. */

/*
 * PTRACE_SEIZE waits for a thread of the process that executes a program, and
 * that one waits for all others to end, and for us to wait for their ends if
 * they are ours.  So that is done meanwhile, by the signal's handler.
 */
static long
seize(struct holder *h, pid_t tid)
{
	long result;
	int error;

	if (h->n == 0)
		return ptrace(PTRACE_SEIZE, tid, NULL, NULL);
	if (h->unseen)
		bury(h);
	sigprocmask(SIG_UNBLOCK, &h->chld, NULL);
	result = ptrace(PTRACE_SEIZE, tid, NULL, NULL);
	error = errno;
	sigprocmask(SIG_BLOCK, &h->chld, NULL);
	errno = error;
	return result;
}

/* Have it stop, as one of the late ones. */
static enum hold_end
interrupt(struct holder *h, pid_t pid, pid_t tid)
{
	const struct late t = { .pid = pid, .tid = tid };

	if (is_late(h, tid))
		return HOLD_LATE;
	if (seize(h, tid) != 0)
		return errno == ESRCH ? HOLD_GONE : HOLD_DENIED;
	/* If it cannot be, it has ended, and its end is waited for. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	add_late(h, &t);
	return HOLD_LATE;
}

/* As look(); 0 if it has not stopped until then. */
static pid_t
await_stop(const struct holder *h, struct late *t, uint64_t until, int *status)
{
	pid_t got;

	do
		got = look(t, status);
	while (got == 0 && await(h, until));
	return got;
}

static enum hold_end
copy(pid_t tid, const struct hold_extent *extent, struct held_thread *t)
{
	uint64_t regset[REGISTERS_SIZE / sizeof(uint64_t)];
	struct iovec io = { regset, sizeof(regset) };
	size_t n;

	t->stack.len = 0;
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) != 0)
		return HOLD_GONE;
	if (!registers_read(&t->registers, regset, io.iov_len))
		return HOLD_FOREIGN;
	n = extent->of(extent->arg, t->registers.sp);
	buf_reserve(&t->stack, n);
	t->stack.len = hold_read(tid, t->registers.sp, t->stack.p, n);
	return HOLD_DONE;
}

/*
 * Copy a thread that has stopped, and let it go, by what look() has found.
 * False if it is not to be forgotten yet.
 */
static bool
take(struct holder *h, const struct late *t, pid_t got, int status,
     const struct hold_extent *extent, struct held_thread *thread,
     enum hold_end *end)
{
	*end = HOLD_GONE;
	if (got < 0 || !WIFSTOPPED(status))
		return true;
	if (!t->executed) {
		*end = copy(got, extent, thread);
		h->holds++;
		if (*end == HOLD_DONE)
			h->interrupts += thread->registers.interrupted;
	}
	return let_go(got, status);
}

/* One of the late ones that has stopped, or ended; NULL if none has. */
static struct late *
find_stopped(struct holder *h, pid_t *got, int *status)
{
	size_t i;

	for (i = 0; i < h->n; i++) {
		*got = look(&h->late[i], status);
		/* A signal may have come for more than one. */
		h->unseen = *got != 0;
		if (*got != 0)
			return &h->late[i];
	}
	return NULL;
}

bool
hold_next(struct holder *h, uint64_t until, const struct hold_extent *extent,
	  struct held_thread *thread, int64_t *tid, enum hold_end *end)
{
	struct late *t;
	int status = 0;
	pid_t got;

	attend(h);
	do {
		if (h->n == 0)
			return false;
		t = find_stopped(h, &got, &status);
	} while (t == NULL && await(h, until));
	if (t == NULL)
		return false;
	*tid = t->tid;
	if (take(h, t, got, status, extent, thread, end))
		*t = h->late[--h->n];
	if (h->n == 0)
		hold_calm(h);
	return true;
}

enum hold_end
hold_ask(struct holder *h, int64_t pid, int64_t tid)
{
	hold_ready(h);
	return interrupt(h, (pid_t)pid, (pid_t)tid);
}

void
hold_threads(struct holder *h, int64_t pid, const struct hold_extent *extent,
	     struct hold_request *request, size_t n)
{
	const uint64_t until = now() + PATIENCE_NS;
	struct hold_request *r;
	struct late t;
	size_t i, kept;
	int status = 0;
	pid_t got;

	hold_ready(h);
	i = kept = h->n;
	for (r = request; r < request + n; r++)
		r->end = interrupt(h, (pid_t)pid, (pid_t)r->tid);
	for (r = request; r < request + n; r++) {
		/* It was not asked, or before this already. */
		if (i == h->n || h->late[i].tid != r->tid)
			continue;
		t = h->late[i++];
		got = await_stop(h, &t, until, &status);
		if (got == 0 ||
		    !take(h, &t, got, status, extent, r->thread, &r->end))
			h->late[kept++] = t;
	}
	h->n = kept;
	h->unseen = true;
	if (h->n == 0)
		hold_calm(h);
}
