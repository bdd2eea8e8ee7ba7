/* ptrace_stop.c - stop running threads for as long as a copy of them takes. */
#include "sampler/ptrace_stop.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/stop_results.h"
#include "sampler/tracee.h"
#include "sampler/tracer_thread.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#define SECOND 1000000000

/*
 * How long to wait for several threads together.  A thread that has a CPU stops
 * sooner; others wait for a CPU, or for a disk.
 */
#define TOGETHER_NS 20000000

/*
 * A thread that has a CPU stops within this many ns.  A wait that is no longer
 * does not sleep, because the thread would stay stopped while we wake up.
 */
#define STOP_SOON_NS 25000

/* How long a round may keep the CPU from others. */
#define HIGH_PRIORITY_NS 1000000

struct tracer {
	struct tracer_thread *thread;
	struct ptrace_stop_copier copier;

	/* Of the main thread. */
	bool has_fifo;       /* we may use SCHED_FIFO */
	bool high_priority;  /* and do */
	uint64_t round_time; /* when the round began, in ns */

	/* Of the tracer's thread. */
	struct tracee *pending;
	size_t n, cap;
	bool changed; /* SIGCHLD came since all pending threads were polled */
	uint64_t interrupted_calls;
	sigset_t sigchld;
	struct stopped_thread copy;

	atomic_size_t npending; /* n, for the main thread */

	struct stop_results results;
};

/* The tracer that the signal handler works for. */
static struct tracer *handled;

static void reap(struct tracer *tr);
static void on_stop(void *arg);

static void
on_sigchld(int sig)
{
	const int error = errno;

	(void)sig;
	reap(handled);
	handled->changed = true;
	errno = error;
}

/* Priority. */

struct tracer *
ptrace_stop_new(void)
{
	struct tracer *tr = mem_zero(1, sizeof(*tr));
	const struct sigaction action = { .sa_handler = on_sigchld,
					  .sa_flags = SA_RESTART };

	sigemptyset(&tr->sigchld);
	sigaddset(&tr->sigchld, SIGCHLD);
	handled = tr;
	stop_results_init(&tr->results);
	tr->thread = tracer_thread_new(on_stop, tr);
	if (tr->thread == NULL) {
		free(tr);
		return NULL;
	}
	sigaction(SIGCHLD, &action, NULL);
	tr->has_fifo = tracer_thread_set_priority(tr->thread, true) &&
		       tracer_thread_set_priority(tr->thread, false);
	return tr;
}

void
ptrace_stop_free(struct tracer *tr)
{
	tracer_thread_free(tr->thread);
	stop_results_free(&tr->results);
	stop_results_free_thread(&tr->copy);
	free(tr->pending);
	free(tr);
}

void
ptrace_stop_set_copier(struct tracer *tr,
		       const struct ptrace_stop_copier *copier)
{
	tr->copier = *copier;
}

void
ptrace_stop_raise_priority(struct tracer *tr)
{
	if (tr->has_fifo && !tr->high_priority)
		tr->high_priority = tracer_thread_set_priority(tr->thread,
							       true);
}

void
ptrace_stop_begin_round(struct tracer *tr)
{
	ptrace_stop_raise_priority(tr);
	tr->round_time = clock_ns(CLOCK_MONOTONIC);
}

void
ptrace_stop_drop_priority(struct tracer *tr)
{
	if (tr->high_priority)
		tracer_thread_set_priority(tr->thread, false);
	tr->high_priority = false;
}

void
ptrace_stop_limit_priority(struct tracer *tr)
{
	if (tr->high_priority &&
	    clock_ns(CLOCK_MONOTONIC) - tr->round_time > HIGH_PRIORITY_NS)
		ptrace_stop_drop_priority(tr);
}

uint64_t
ptrace_stop_interrupted_calls(const struct tracer *tr)
{
	return tr->interrupted_calls;
}

/* Pending threads. */

static bool
is_pending(const struct tracer *tr, pid_t tid)
{
	size_t i;

	for (i = 0; i < tr->n; i++) {
		if (tracee_tid(&tr->pending[i]) == tid)
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
	atomic_store(&tr->npending, tr->n);
}

static void
remove_pending(struct tracer *tr, size_t i)
{
	tr->pending[i] = tr->pending[--tr->n];
	atomic_store(&tr->npending, tr->n);
}

/*
 * Wait until a thread may have stopped; false if the deadline is over.  A child
 * of the main thread may have ended instead.
 */
static bool
wait_for_stop(struct tracer *tr, uint64_t deadline)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct timespec rest;
	siginfo_t info;

	if (now >= deadline)
		return false;
	/* The thread would stay stopped while we wake up. */
	rest.tv_sec = 0;
	rest.tv_nsec = 0;
	if (deadline - now > STOP_SOON_NS) {
		rest.tv_sec = (time_t)((deadline - now) / SECOND);
		rest.tv_nsec = (long)((deadline - now) % SECOND);
	}
	if (sigtimedwait(&tr->sigchld, &info, &rest) == SIGCHLD) {
		tr->changed = true;
		tracer_thread_notify_of(tr->thread, &info);
	}
	return true;
}

/* Wait for pending threads that have ended; they stay in the list. */
static void
reap(struct tracer *tr)
{
	size_t i;

	for (i = 0; i < tr->n; i++)
		tracee_reap(&tr->pending[i]);
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
	pthread_sigmask(SIG_UNBLOCK, &tr->sigchld, NULL);
	result = ptrace(PTRACE_SEIZE, tid, NULL, NULL);
	error = errno;
	pthread_sigmask(SIG_BLOCK, &tr->sigchld, NULL);
	errno = error;
	return result;
}

static enum ptrace_stop_result
interrupt(struct tracer *tr, pid_t pid, pid_t tid)
{
	const struct tracee t = { .pid = pid, .tid = tid };

	if (is_pending(tr, tid) || stop_results_has(&tr->results, tid))
		return PTRACE_STOP_PENDING;
	if (seize(tr, tid) != 0)
		return errno == ESRCH ? PTRACE_STOP_GONE : PTRACE_STOP_DENIED;
	/* This fails only if it has ended, and then we wait for its end. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	add_pending(tr, &t);
	return PTRACE_STOP_PENDING;
}

static enum ptrace_stop_result
copy(struct tracer *tr, pid_t tid, struct stopped_thread *thread)
{
	uint64_t regset[ARCH_REGSET_SIZE / sizeof(uint64_t)];
	struct iovec io = { regset, sizeof(regset) };

	thread->stack.len = 0;
	interp_stack_clear(&thread->vm);
	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &io) != 0)
		return PTRACE_STOP_GONE;
	if (!arch_regset(&thread->state, regset, io.iov_len))
		return PTRACE_STOP_32BIT;
	tr->copier.copy(tr->copier.arg, tid, thread);
	tr->interrupted_calls += thread->state.interrupted;
	return PTRACE_STOP_DONE;
}

/*
 * Copy a thread that has stopped and let it go on; got and status are as
 * tracee_poll() returned them.  NULL instead of a thread: do not copy.  False
 * if it stays pending.
 */
static bool
copy_and_detach(struct tracer *tr, const struct tracee *t, pid_t got,
		int status, struct stopped_thread *thread,
		enum ptrace_stop_result *result)
{
	*result = PTRACE_STOP_GONE;
	if (got < 0 || !WIFSTOPPED(status))
		return true;
	if (thread == NULL)
		*result = PTRACE_STOP_RELEASED;
	else if (!t->executed)
		*result = copy(tr, got, thread);
	return tracee_detach(got, status);
}

/* Whether memory of the main thread may be used: the lock is ours. */
enum loan { LOAN_UNTRIED, LOAN_REFUSED, LOAN_GRANTED };

static bool
may_copy(struct tracer *tr, enum loan *loan)
{
	if (*loan == LOAN_UNTRIED)
		*loan = tracer_thread_borrow(tr->thread) ? LOAN_GRANTED :
							   LOAN_REFUSED;
	return *loan == LOAN_GRANTED;
}

/* Let all pending threads go on that have stopped.  False if there is none. */
static bool
finish_stopped(struct tracer *tr, enum loan *loan)
{
	enum ptrace_stop_result result;
	int status = 0;
	size_t i = 0;
	pid_t got;
	bool any = false, ends;

	tr->changed = false;
	while (i < tr->n) {
		got = tracee_poll(&tr->pending[i], &status);
		if (got == 0) {
			i++;
			continue;
		}
		ends = copy_and_detach(tr, &tr->pending[i], got, status,
				       may_copy(tr, loan) ? &tr->copy : NULL,
				       &result);
		stop_results_add(&tr->results, tr->pending[i].tid, result,
				 &tr->copy);
		if (ends)
			remove_pending(tr, i);
		else
			i++;
		any = true;
	}
	return any;
}

/* For struct tracer_thread. */
static void
on_stop(void *arg)
{
	struct tracer *tr = arg;
	enum loan loan = LOAN_UNTRIED;
	const bool any = finish_stopped(tr, &loan);

	if (loan == LOAN_GRANTED)
		tracer_thread_give_back(tr->thread);
	if (any)
		tracer_thread_notify(tr->thread);
}

/* For the main thread. */

/* Arguments of a call in the tracer's thread. */
struct ptrace_call {
	struct tracer *tracer;
	pid_t pid;
	struct ptrace_stop_request *request;
	size_t n;
};

static void
call_interrupt(void *arg)
{
	const struct ptrace_call *call = arg;
	struct tracer *tr = call->tracer;
	struct ptrace_stop_request *r = call->request;
	const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + STOP_SOON_NS;
	enum loan loan = LOAN_GRANTED;

	r->result = interrupt(tr, call->pid, (pid_t)r->tid);
	do {
		if (tr->changed)
			finish_stopped(tr, &loan);
	} while (is_pending(tr, (pid_t)r->tid) && wait_for_stop(tr, deadline));
}

enum ptrace_stop_result
ptrace_stop_interrupt(struct tracer *tr, int64_t pid, int64_t tid)
{
	struct ptrace_stop_request request = { .tid = tid };
	struct ptrace_call call = { tr, (pid_t)pid, &request, 1 };

	tracer_thread_call(tr->thread, call_interrupt, &call);
	return request.result;
}

bool
ptrace_stop_next(struct tracer *tr, uint64_t deadline,
		 struct stopped_thread *thread, int64_t *tid,
		 enum ptrace_stop_result *result)
{
	bool waits;

	tracer_thread_yield(tr->thread);
	do {
		waits = atomic_load(&tr->npending) > 0;
		if (stop_results_take(&tr->results, thread, tid, result))
			return true;
	} while (waits && deadline != 0 &&
		 tracer_thread_wait(tr->thread, deadline));
	return false;
}

/* Like tracee_poll(), but wait for a stop until a deadline. */
static pid_t
wait_tracee(struct tracer *tr, struct tracee *t, uint64_t deadline, int *status)
{
	pid_t got;

	do
		got = tracee_poll(t, status);
	while (got == 0 && wait_for_stop(tr, deadline));
	return got;
}

static void
call_together(void *arg)
{
	const struct ptrace_call *call = arg;
	const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + TOGETHER_NS;
	struct tracer *tr = call->tracer;
	struct ptrace_stop_request *r, *end = call->request + call->n;
	enum loan loan = LOAN_GRANTED;
	struct tracee t;
	size_t i, kept;
	int status = 0;
	pid_t got;

	i = kept = tr->n;
	for (r = call->request; r < end; r++)
		r->result = interrupt(tr, call->pid, (pid_t)r->tid);
	for (r = call->request; r < end; r++) {
		/* It could not be interrupted, or was pending before. */
		if (i == tr->n || tr->pending[i].tid != r->tid)
			continue;
		t = tr->pending[i++];
		got = wait_tracee(tr, &t, deadline, &status);
		if (got == 0 || !copy_and_detach(tr, &t, got, status, r->thread,
						 &r->result))
			tr->pending[kept++] = t;
	}
	tr->n = kept;
	atomic_store(&tr->npending, tr->n);
	/* Waiting for one took the SIGCHLD of others, which may have ended. */
	finish_stopped(tr, &loan);
}

void
ptrace_stop_threads(struct tracer *tr, int64_t pid,
		    struct ptrace_stop_request *request, size_t n)
{
	struct ptrace_call call = { tr, (pid_t)pid, request, n };

	tracer_thread_call(tr->thread, call_together, &call);
	ptrace_stop_limit_priority(tr);
}

void
ptrace_stop_yield(struct tracer *tr)
{
	tracer_thread_yield(tr->thread);
}

void
ptrace_stop_begin_sleep(struct tracer *tr)
{
	tracer_thread_unlock(tr->thread);
}

void
ptrace_stop_end_sleep(struct tracer *tr)
{
	tracer_thread_lock(tr->thread);
}

void
ptrace_stop_drain(struct tracer *tr, uint64_t deadline)
{
	while (atomic_load(&tr->npending) > 0 &&
	       tracer_thread_wait(tr->thread, deadline))
		continue;
	ptrace_stop_drop_priority(tr);
}
