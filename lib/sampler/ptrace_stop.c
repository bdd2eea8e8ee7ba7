/* ptrace_stop.c - stop running threads for as long as a copy of them takes. */
#include "sampler/ptrace_stop.h"

#include "base/table.h"
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

/*
 * Nothing says that a thread has executed a program.  So each pending thread is
 * polled this often, in ns.
 */
#define POLL_NS 200000000

/* What waitpid(2) has returned of a thread. */
struct stop_event {
	pid_t id;
	int status;
};

/* A thread that was interrupted. */
struct pending {
	struct tracee tracee;
	bool is_new;       /* no call has waited for it */
	UT_hash_handle hh; /* by its tid then */
};

struct tracer {
	struct tracer_thread *thread;
	struct ptrace_stop_copier copier;

	/* Of the main thread. */
	bool has_fifo;       /* we may use SCHED_FIFO */
	bool high_priority;  /* and do */
	uint64_t round_time; /* when the round began, in ns */

	uint64_t check_time; /* when pending threads were polled, in ns */
	atomic_bool waits;   /* for a thread to stop */

	/* Of the tracer's thread. */
	struct pending *pending; /* table */
	bool changed;            /* SIGCHLD came since we last waited */
	uint64_t poll_time;      /* when all of them were polled, in ns */
	/* There is room for a stop and the end of each pending thread. */
	struct stop_event *event;
	size_t nevents, events_cap;
	uint64_t interrupted_calls;
	sigset_t sigchld;
	struct stopped_thread copy;

	atomic_size_t npending; /* for the main thread */

	struct stop_results results;
};

/* The tracer that the signal handler works for. */
static struct tracer *handled;

static void collect(struct tracer *tr);
static void on_stop(void *arg);
static void call_poll(void *arg);

static void
on_sigchld(int sig)
{
	const int error = errno;

	(void)sig;
	collect(handled);
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

static void
remove_pending(struct tracer *tr, struct pending *p)
{
	HASH_DEL(tr->pending, p);
	free(p);
	atomic_store(&tr->npending, HASH_COUNT(tr->pending));
}

void
ptrace_stop_free(struct tracer *tr)
{
	tracer_thread_free(tr->thread);
	while (tr->pending != NULL)
		remove_pending(tr, tr->pending);
	stop_results_free(&tr->results);
	stop_results_free_thread(&tr->copy);
	free(tr->event);
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
	if (atomic_load(&tr->npending) > 0 &&
	    tr->round_time - tr->check_time >= POLL_NS) {
		tr->check_time = tr->round_time;
		tracer_thread_call(tr->thread, call_poll, tr);
	}
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

static struct pending *
find_pending(const struct tracer *tr, pid_t tid)
{
	struct pending *p;

	HASH_FIND(hh, tr->pending, &tid, sizeof(tid), p);
	return p;
}

/*
 * The pending thread that has an id now: one that executes a program gets that
 * of its process.
 */
static struct pending *
find_stopped(const struct tracer *tr, pid_t id)
{
	struct pending *p = find_pending(tr, id);

	if (p != NULL)
		return p;
	for (p = tr->pending; p != NULL; p = p->hh.next) {
		if (p->tracee.pid != id)
			continue;
		p->tracee.executed = true;
		break;
	}
	return p;
}

static void
add_pending(struct tracer *tr, pid_t pid, pid_t tid)
{
	struct pending *p = mem_zero(1, sizeof(*p));

	p->tracee = (struct tracee){ .pid = pid, .tid = tid };
	p->is_new = true;
	HASH_ADD(hh, tr->pending, tracee.tid, sizeof(p->tracee.tid), p);
	tr->event = mem_grow(tr->event, &tr->events_cap,
			     2 * (size_t)HASH_COUNT(tr->pending),
			     sizeof(*tr->event));
	atomic_store(&tr->npending, HASH_COUNT(tr->pending));
}

/* See whether a thread may have stopped, and wait for that. */
static void
wait_for_signal(struct tracer *tr, uint64_t ns)
{
	const struct timespec time = { .tv_sec = (time_t)(ns / SECOND),
				       .tv_nsec = (long)(ns % SECOND) };
	siginfo_t info;

	if (sigtimedwait(&tr->sigchld, &info, &time) == SIGCHLD) {
		tr->changed = true;
		tracer_thread_notify_of(tr->thread, &info);
	}
}

/*
 * Wait until a thread may have stopped; false if the deadline is over.  A child
 * of the main thread may have ended instead.
 */
static bool
wait_for_stop(struct tracer *tr, uint64_t deadline)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now >= deadline)
		return false;
	/* The thread would stay stopped while we wake up. */
	wait_for_signal(tr, deadline - now > STOP_SOON_NS ? deadline - now : 0);
	return true;
}

/*
 * Wait for the threads that have stopped or ended: a system call for each of
 * them, and one more, however many are pending.
 */
static void
collect(struct tracer *tr)
{
	struct stop_event *e;

	while (tr->nevents < tr->events_cap) {
		e = &tr->event[tr->nevents];
		e->id = waitpid(-1, &e->status, __WALL | __WNOTHREAD | WNOHANG);
		if (e->id <= 0)
			return;
		tr->nevents++;
	}
}

/* The same for one thread; as tracee_poll(). */
static pid_t
poll_one(struct tracer *tr, struct tracee *t, int *status)
{
	const pid_t tid = tracee_tid(t);
	struct stop_event *e;
	size_t i;

	for (i = 0; i < tr->nevents; i++) {
		e = &tr->event[i];
		if (e->id != tid)
			continue;
		*status = e->status;
		memmove(e, e + 1, (--tr->nevents - i) * sizeof(*e));
		return tid;
	}
	return tracee_poll(t, status);
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

	if (tr->pending == NULL)
		return ptrace(PTRACE_SEIZE, tid, NULL, NULL);
	if (tr->changed)
		collect(tr);
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
	if (find_pending(tr, tid) != NULL ||
	    stop_results_has(&tr->results, tid))
		return PTRACE_STOP_PENDING;
	if (seize(tr, tid) != 0)
		return errno == ESRCH ? PTRACE_STOP_GONE : PTRACE_STOP_DENIED;
	/* This fails only if it has ended, and then we wait for its end. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	add_pending(tr, pid, tid);
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

/* Let a thread go on that has stopped or ended, as copy_and_detach(). */
static void
finish(struct tracer *tr, struct pending *p, pid_t got, int status,
       enum loan *loan)
{
	struct stopped_thread *to = may_copy(tr, loan) ? &tr->copy : NULL;
	enum ptrace_stop_result result;
	const bool ends = copy_and_detach(tr, &p->tracee, got, status, to,
					  &result);

	stop_results_add(&tr->results, p->tracee.tid, result, &tr->copy);
	if (ends)
		remove_pending(tr, p);
}

/* Let all pending threads go on that have stopped.  False if there is none. */
static bool
poll_all(struct tracer *tr, enum loan *loan)
{
	struct pending *p, *next;
	int status = 0;
	bool any = false;
	pid_t got;

	tr->poll_time = clock_ns(CLOCK_MONOTONIC);
	HASH_ITER(hh, tr->pending, p, next)
	{
		got = poll_one(tr, &p->tracee, &status);
		if (got != 0)
			finish(tr, p, got, status, loan);
		any |= got != 0;
	}
	return any;
}

/* The same, but most often without a look at the others. */
static bool
finish_stopped(struct tracer *tr, enum loan *loan)
{
	const struct stop_event *e;
	struct pending *p;
	bool any = false;
	size_t i;

	tr->changed = false;
	collect(tr);
	for (i = 0; i < tr->nevents; i++) {
		e = &tr->event[i];
		p = find_stopped(tr, e->id);
		if (p != NULL)
			finish(tr, p, e->id, e->status, loan);
		else if (WIFSTOPPED(e->status))
			tracee_detach(e->id, e->status);
		any |= p != NULL;
	}
	tr->nevents = 0;
	if (clock_ns(CLOCK_MONOTONIC) - tr->poll_time >= POLL_NS)
		any |= poll_all(tr, loan);
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
	if (any && atomic_load(&tr->waits))
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

static bool
is_any_pending(const struct ptrace_call *call)
{
	size_t i;

	for (i = 0; i < call->n; i++) {
		if (find_pending(call->tracer, (pid_t)call->request[i].tid) !=
		    NULL)
			return true;
	}
	return false;
}

/*
 * Threads stop one after the other: those that have a CPU are not stopped for
 * longer than it takes to interrupt or to copy another one.
 */
static void
call_interrupt(void *arg)
{
	const struct ptrace_call *call = arg;
	struct tracer *tr = call->tracer;
	struct ptrace_stop_request *r, *end = call->request + call->n;
	enum loan loan = LOAN_GRANTED;
	uint64_t deadline;

	for (r = call->request; r < end; r++) {
		r->result = PTRACE_STOP_PENDING;
		if (r->check)
			r->result = tr->copier.check(tr->copier.arg, r->tid);
		if (r->result == PTRACE_STOP_PENDING)
			r->result = interrupt(tr, call->pid, (pid_t)r->tid);
		wait_for_signal(tr, 0);
		if (tr->changed)
			finish_stopped(tr, &loan);
	}
	deadline = clock_ns(CLOCK_MONOTONIC) + STOP_SOON_NS;
	while (is_any_pending(call) && wait_for_stop(tr, deadline)) {
		if (tr->changed)
			finish_stopped(tr, &loan);
	}
}

void
ptrace_stop_interrupt(struct tracer *tr, int64_t pid,
		      struct ptrace_stop_request *request, size_t n)
{
	struct ptrace_call call = { tr, (pid_t)pid, request, n };

	tracer_thread_call(tr->thread, call_interrupt, &call);
}

/* For struct tracer_thread. */
static void
call_poll(void *arg)
{
	enum loan loan = LOAN_GRANTED;

	poll_all(arg, &loan);
}

bool
ptrace_stop_next(struct tracer *tr, uint64_t deadline,
		 struct stopped_thread *thread, int64_t *tid,
		 enum ptrace_stop_result *result)
{
	bool waits, taken;

	tracer_thread_yield(tr->thread);
	atomic_store(&tr->waits, deadline != 0);
	do {
		waits = atomic_load(&tr->npending) > 0;
		taken = stop_results_take(&tr->results, thread, tid, result);
	} while (!taken && waits && deadline != 0 &&
		 tracer_thread_wait(tr->thread, deadline));
	atomic_store(&tr->waits, false);
	return taken;
}

/* Like tracee_poll(), but wait for a stop until a deadline. */
static pid_t
wait_tracee(struct tracer *tr, struct tracee *t, uint64_t deadline, int *status)
{
	pid_t got;

	do
		got = poll_one(tr, t, status);
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
	struct pending *p;
	int status = 0;
	pid_t got;

	for (r = call->request; r < end; r++)
		r->result = interrupt(tr, call->pid, (pid_t)r->tid);
	for (r = call->request; r < end; r++) {
		/* It was pending before: then it is copied as it stops. */
		p = find_pending(tr, (pid_t)r->tid);
		if (p == NULL || !p->is_new)
			continue;
		p->is_new = false;
		got = wait_tracee(tr, &p->tracee, deadline, &status);
		if (got != 0 && copy_and_detach(tr, &p->tracee, got, status,
						r->thread, &r->result))
			remove_pending(tr, p);
	}
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
	atomic_store(&tr->waits, true);
	while (atomic_load(&tr->npending) > 0 &&
	       tracer_thread_wait(tr->thread, deadline))
		continue;
	atomic_store(&tr->waits, false);
	ptrace_stop_drop_priority(tr);
}
