/* ptrace_stop.c - stop running threads for as long as a copy of them takes. */
#include "sampler/ptrace_stop.h"

#include "base/mem.h"
#include "os/clock.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define SECOND 1000000000

/*
 * How long to wait for several threads together.  A thread that has a CPU stops
 * sooner; others wait for a CPU, or for a disk.
 */
#define TOGETHER_NS 20000000

enum { PRIORITY = 5, NICE = -15 };

/*
 * How long a round may keep the CPU from others: while no thread is pending;
 * and while one is, which may stop at any moment, and would then stay stopped
 * until we get a CPU again.  A sleep at high priority keeps it from nobody.
 */
#define HIGH_PRIORITY_NS 1000000
#define HIGH_PRIORITY_PENDING_NS 20000000

/*
 * While we do other work, a thread may stay stopped for up to this long, in us,
 * until that is done; later ones are released by a timer, without a copy.  The
 * priority is dropped after so many intervals.
 */
enum { GRACE_US = 1000, GRACE_INTERVALS = 20 };

/* A pending thread: seized and interrupted, and not seen to stop yet. */
struct tracee {
	pid_t pid, tid;
	bool executed; /* it executed a program, so pid is its id now */
	bool reaped;   /* it has ended, and was waited for */
};

struct tracer {
	bool has_fifo;      /* we may use SCHED_FIFO */
	bool high_priority; /* and do */
	bool background;    /* a timer releases pending threads */
	unsigned intervals; /* of this timer */
	bool changed;       /* a pending thread, since all were looked at */
	struct tracee *pending;
	size_t n, cap;
	uint64_t round_time; /* when the round began, in ns */
	uint64_t interrupted_calls;
	sigset_t sigchld;
};

/* The tracer that the signal handler works for. */
static struct tracer *handled;

static void release_pending(struct tracer *tr);
static void reap(struct tracer *tr);
static void drop_priority(struct tracer *tr);

static void
set_timer(suseconds_t us)
{
	const struct itimerval t = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &t, NULL);
}

static void
on_sigchld(int sig)
{
	const int error = errno;

	(void)sig;
	reap(handled);
	handled->changed = true;
	errno = error;
}

static void
on_alarm(int sig)
{
	const int error = errno;

	(void)sig;
	if (handled->background) {
		release_pending(handled);
		handled->changed = true;
		if (handled->n == 0)
			set_timer(0);
		if (++handled->intervals == GRACE_INTERVALS)
			drop_priority(handled);
	}
	errno = error;
}

/* Priority. */

/* Get a priority above all threads of the target, or a normal one. */
static bool
set_priority(bool high)
{
	struct sched_param p = { .sched_priority = high ? PRIORITY : 0 };

	return sched_setscheduler(
		   0, (high ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK,
		   &p) == 0;
}

struct tracer *
ptrace_stop_new(void)
{
	struct tracer *tr = mem_zero(1, sizeof(*tr));
	const struct sigaction action = { .sa_handler = on_sigchld,
					  .sa_flags = SA_RESTART },
			       alarm = { .sa_handler = on_alarm,
					 .sa_flags = SA_RESTART };
	sigset_t sigalrm;

	sigemptyset(&tr->sigchld);
	sigaddset(&tr->sigchld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &tr->sigchld, NULL);
	handled = tr;
	sigaction(SIGCHLD, &action, NULL);
	sigaction(SIGALRM, &alarm, NULL);
	sigemptyset(&sigalrm);
	sigaddset(&sigalrm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &sigalrm, NULL);
	/* Without permission for both, a stop includes our wait for a CPU. */
	tr->has_fifo = set_priority(true) && set_priority(false);
	setpriority(PRIO_PROCESS, 0, NICE);
	return tr;
}

static void
end_background(struct tracer *tr)
{
	if (tr->background)
		set_timer(0);
	tr->background = false;
}

void
ptrace_stop_free(struct tracer *tr)
{
	end_background(tr);
	free(tr->pending);
	free(tr);
}

void
ptrace_stop_raise_priority(struct tracer *tr)
{
	end_background(tr);
	if (tr->has_fifo && !tr->high_priority)
		tr->high_priority = set_priority(true);
}

void
ptrace_stop_begin_round(struct tracer *tr)
{
	ptrace_stop_raise_priority(tr);
	/* The caller may have taken the SIGCHLD. */
	tr->changed = true;
	tr->round_time = clock_ns(CLOCK_MONOTONIC);
}

static void
drop_priority(struct tracer *tr)
{
	if (tr->high_priority)
		set_priority(false);
	tr->high_priority = false;
}

void
ptrace_stop_limit_priority(struct tracer *tr)
{
	if (tr->high_priority &&
	    clock_ns(CLOCK_MONOTONIC) - tr->round_time >
		(tr->n > 0 ? HIGH_PRIORITY_PENDING_NS : HIGH_PRIORITY_NS))
		drop_priority(tr);
}

void
ptrace_stop_background(struct tracer *tr)
{
	if (tr->n == 0) {
		drop_priority(tr);
	} else if (!tr->background) {
		tr->background = true;
		tr->intervals = 0;
		set_timer(GRACE_US);
	}
}

uint64_t
ptrace_stop_interrupted_calls(const struct tracer *tr)
{
	return tr->interrupted_calls;
}

/* Pending threads. */

static pid_t
current_tid(const struct tracee *t)
{
	return t->executed ? t->pid : t->tid;
}

static bool
is_pending(const struct tracer *tr, pid_t tid)
{
	size_t i;

	for (i = 0; i < tr->n; i++) {
		if (current_tid(&tr->pending[i]) == tid)
			return true;
	}
	return false;
}

bool
ptrace_stop_is_pending(const struct tracer *tr, int64_t tid)
{
	size_t i;

	for (i = 0; i < tr->n; i++) {
		if (tr->pending[i].tid == tid)
			return true;
	}
	return false;
}

static void
add_pending(struct tracer *tr, const struct tracee *t)
{
	tr->pending = mem_grow(tr->pending, &tr->cap, tr->n + 1,
			       sizeof(*tr->pending));
	tr->pending[tr->n++] = *t;
}

/*
 * Like waitpid(2) with WNOHANG.  A thread that executes a program gets the id
 * of its process and is still seized, but no longer interrupted: the next
 * signal would stop it for good.  So interrupt it again.
 */
static pid_t
poll_tracee(struct tracee *t, int *status)
{
	pid_t got = t->reaped ?
			-1 :
			waitpid(current_tid(t), status, __WALL | WNOHANG);

	if (got >= 0 || t->reaped || t->executed || t->tid == t->pid ||
	    ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL) != 0)
		return got;
	t->executed = true;
	return 0;
}

/*
 * The signal that the thread was about to get when it stopped.  There is none
 * if it stopped for PTRACE_INTERRUPT or job control.
 */
static int
pending_signal(int status)
{
	return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
}

/*
 * Let a stopped thread go on.  False if it has been killed meanwhile: then we
 * still trace it, and have to wait for its end.
 */
static bool
detach(pid_t tid, int status)
{
	return ptrace(PTRACE_DETACH, tid, NULL,
		      (void *)(intptr_t)pending_signal(status)) == 0;
}

/* Wait until a thread may have stopped; false if the deadline is over. */
static bool
wait_for_stop(const struct tracer *tr, uint64_t deadline)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct timespec rest;

	if (now >= deadline)
		return false;
	if (deadline - now <= PTRACE_STOP_SOON)
		return true;
	rest.tv_sec = (time_t)((deadline - now) / SECOND);
	rest.tv_nsec = (long)((deadline - now) % SECOND);
	sigtimedwait(&tr->sigchld, NULL, &rest);
	return true;
}

static void
release_pending(struct tracer *tr)
{
	size_t i, kept = 0;
	int status;
	pid_t got;

	for (i = 0; i < tr->n; i++) {
		got = poll_tracee(&tr->pending[i], &status);
		if (got == 0 ||
		    (got > 0 && WIFSTOPPED(status) && !detach(got, status)))
			tr->pending[kept++] = tr->pending[i];
	}
	tr->n = kept;
	tr->changed = false;
}

void
ptrace_stop_release(struct tracer *tr)
{
	end_background(tr);
	release_pending(tr);
}

void
ptrace_stop_drain(struct tracer *tr, uint64_t deadline)
{
	ptrace_stop_release(tr);
	while (tr->n > 0 && wait_for_stop(tr, deadline))
		release_pending(tr);
	ptrace_stop_background(tr);
	drop_priority(tr);
}

/* Whether a thread has ended.  waitid(2) reports stops even with WEXITED. */
static bool
has_ended(pid_t tid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)tid, &info,
		      __WALL | WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0 && info.si_code != CLD_TRAPPED &&
	       info.si_code != CLD_STOPPED;
}

/* Wait for pending threads that have ended; they stay in the list. */
static void
reap(struct tracer *tr)
{
	struct tracee *t;
	size_t i;

	for (i = 0; i < tr->n; i++) {
		t = &tr->pending[i];
		if (!t->reaped && has_ended(current_tid(t)))
			t->reaped = waitpid(current_tid(t), NULL,
					    __WALL | WNOHANG) > 0;
	}
}

/* Stops. */

/*
 * If a thread of the process executes a program, PTRACE_SEIZE waits until that
 * is done.  The execution in turn waits until all other threads have ended, and
 * until we have waited for those that we trace.  So the signal handler does
 * that meanwhile.
 */
static long
seize(struct tracer *tr, pid_t tid)
{
	long result;
	int error;

	if (tr->n == 0)
		return ptrace(PTRACE_SEIZE, tid, NULL, NULL);
	if (tr->changed)
		reap(tr);
	sigprocmask(SIG_UNBLOCK, &tr->sigchld, NULL);
	result = ptrace(PTRACE_SEIZE, tid, NULL, NULL);
	error = errno;
	sigprocmask(SIG_BLOCK, &tr->sigchld, NULL);
	errno = error;
	return result;
}

static enum ptrace_stop_result
interrupt(struct tracer *tr, pid_t pid, pid_t tid)
{
	const struct tracee t = { .pid = pid, .tid = tid };

	if (is_pending(tr, tid))
		return PTRACE_STOP_PENDING;
	if (seize(tr, tid) != 0)
		return errno == ESRCH ? PTRACE_STOP_GONE : PTRACE_STOP_DENIED;
	/* This fails only if it has ended, and then we wait for its end. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	add_pending(tr, &t);
	return PTRACE_STOP_PENDING;
}

enum ptrace_stop_result
ptrace_stop_interrupt(struct tracer *tr, int64_t pid, int64_t tid)
{
	ptrace_stop_raise_priority(tr);
	return interrupt(tr, (pid_t)pid, (pid_t)tid);
}

static enum ptrace_stop_result
copy(pid_t tid, const struct ptrace_stop_copier *copier,
     struct stopped_thread *thread)
{
	uint64_t regset[ARCH_REGSET_SIZE / sizeof(uint64_t)];
	struct iovec io = { regset, sizeof(regset) };

	thread->stack.len = 0;
	interp_stack_clear(&thread->vm);
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) != 0)
		return PTRACE_STOP_GONE;
	if (!arch_regset(&thread->state, regset, io.iov_len))
		return PTRACE_STOP_32BIT;
	copier->copy(copier->arg, tid, thread);
	return PTRACE_STOP_DONE;
}

/*
 * Copy a thread that has stopped and let it go on; got and status are as
 * poll_tracee() returned them.  False if it stays pending.
 */
static bool
copy_and_detach(struct tracer *tr, const struct tracee *t, pid_t got,
		int status, const struct ptrace_stop_copier *copier,
		struct stopped_thread *thread, enum ptrace_stop_result *result)
{
	*result = PTRACE_STOP_GONE;
	if (got < 0 || !WIFSTOPPED(status))
		return true;
	if (!t->executed) {
		*result = copy(got, copier, thread);
		if (*result == PTRACE_STOP_DONE)
			tr->interrupted_calls += thread->state.interrupted;
	}
	return detach(got, status);
}

/* Whether a pending thread may have stopped: each one sends SIGCHLD. */
static bool
may_have_stopped(struct tracer *tr)
{
	const struct timespec now = { 0, 0 };

	if (sigtimedwait(&tr->sigchld, NULL, &now) == SIGCHLD)
		tr->changed = true;
	return tr->changed;
}

/* A pending thread that has stopped, or ended; NULL if there is none. */
static struct tracee *
find_stopped(struct tracer *tr, pid_t *got, int *status)
{
	size_t i;

	tr->changed = false;
	for (i = 0; i < tr->n; i++) {
		*got = poll_tracee(&tr->pending[i], status);
		/* A signal may stand for several threads. */
		tr->changed = *got != 0;
		if (*got != 0)
			return &tr->pending[i];
	}
	return NULL;
}

bool
ptrace_stop_next(struct tracer *tr, uint64_t deadline,
		 const struct ptrace_stop_copier *copier,
		 struct stopped_thread *thread, int64_t *tid,
		 enum ptrace_stop_result *result)
{
	struct tracee *t;
	int status = 0;
	pid_t got;

	end_background(tr);
	if (deadline == 0 && (tr->n == 0 || !may_have_stopped(tr)))
		return false;
	do {
		if (tr->n == 0)
			return false;
		t = find_stopped(tr, &got, &status);
	} while (t == NULL && wait_for_stop(tr, deadline));
	if (t == NULL)
		return false;
	*tid = t->tid;
	if (copy_and_detach(tr, t, got, status, copier, thread, result))
		*t = tr->pending[--tr->n];
	if (tr->n == 0)
		ptrace_stop_limit_priority(tr);
	return true;
}

/* Like poll_tracee(), but wait for a stop until a deadline. */
static pid_t
wait_tracee(const struct tracer *tr, struct tracee *t, uint64_t deadline,
	    int *status)
{
	pid_t got;

	do
		got = poll_tracee(t, status);
	while (got == 0 && wait_for_stop(tr, deadline));
	return got;
}

void
ptrace_stop_threads(struct tracer *tr, int64_t pid,
		    const struct ptrace_stop_copier *copier,
		    struct ptrace_stop_request *request, size_t n)
{
	const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + TOGETHER_NS;
	struct ptrace_stop_request *r;
	struct tracee t;
	size_t i, kept;
	int status = 0;
	pid_t got;

	ptrace_stop_raise_priority(tr);
	i = kept = tr->n;
	for (r = request; r < request + n; r++)
		r->result = interrupt(tr, (pid_t)pid, (pid_t)r->tid);
	for (r = request; r < request + n; r++) {
		/* It could not be interrupted, or was pending before. */
		if (i == tr->n || tr->pending[i].tid != r->tid)
			continue;
		t = tr->pending[i++];
		got = wait_tracee(tr, &t, deadline, &status);
		if (got == 0 || !copy_and_detach(tr, &t, got, status, copier,
						 r->thread, &r->result))
			tr->pending[kept++] = t;
	}
	tr->n = kept;
	tr->changed = true;
	if (tr->n == 0)
		ptrace_stop_limit_priority(tr);
}
