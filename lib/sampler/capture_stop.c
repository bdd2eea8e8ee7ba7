/* capture_stop.c - threads that are stopped to be captured. */
#include "sampler/capture_stop.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/capture-internal.h"
#include "sampler/capture_memory.h"
#include "sampler/thread_call.h"

/* A thread may never stop: in a frozen container, on a disk that is gone. */
enum { MAX_LATE = 65536 };

/* The queue. */

static struct queued *
enqueue(struct capture *c, struct live_threads *l, struct live_thread *t,
	uint64_t time, const struct thread_state *state,
	enum stack_source source)
{
	const size_t old = c->queue_cap;
	struct queued *q;

	c->queue = mem_grow(c->queue, &c->queue_cap, c->nqueue + 1,
			    sizeof(*c->queue));
	if (c->queue_cap > old)
		memset(c->queue + old, 0,
		       (c->queue_cap - old) * sizeof(*c->queue));
	q = &c->queue[c->nqueue++];
	q->process = l;
	q->thread = t;
	q->time = time;
	q->state = *state;
	q->source = source;
	return q;
}

void
capture_stop_enqueue(struct capture *c, struct live_threads *l,
		     struct live_thread *t, const struct thread_state *state,
		     enum stack_source source)
{
	enqueue(c, l, t, t->round.time, state, source);
}

/* Queue the copy in c->stopped, in exchange for a buffer to use again. */
static void
enqueue_stopped(struct capture *c, struct live_thread *t,
		const struct look *look)
{
	struct queued *q = enqueue(
	    c, look->process, t, look->time, &look->state,
	    look->time == t->round.time ? SOURCE_STOP : SOURCE_LATE);
	const struct stopped_thread spare = q->stopped;

	q->stopped = c->stopped;
	c->stopped = spare;
}

/* Stopping threads. */

void
capture_stop_count(struct capture *c, enum ptrace_stop_result result)
{
	c->counts.denied += result == PTRACE_STOP_DENIED;
	c->counts.bits32 += result == PTRACE_STOP_32BIT;
}

enum ptrace_stop_result
capture_stop_result(struct live_thread *t, enum ptrace_stop_result result)
{
	return result == PTRACE_STOP_DENIED && live_threads_has_ended(t) ?
		   PTRACE_STOP_GONE :
		   result;
}

bool
capture_stop_add_late(struct capture *c, struct live_threads *l,
		      struct live_thread *t, const struct thread_state *state)
{
	if (c->late.n == MAX_LATE) {
		c->counts.timed_out++;
		capture_stop_enqueue(c, l, t, state, SOURCE_NONE);
		return false;
	}
	looks_add(&c->late, &(struct look){ .process = l,
					    .tid = t->files.tid,
					    .time = t->round.time,
					    .state = *state });
	return true;
}

/* Queue all looks at a thread that has stopped, or ended. */
static void
enqueue_late(struct capture *c, int64_t tid, enum ptrace_stop_result result)
{
	struct live_thread *t;
	struct look look;
	bool copied = false;

	while (looks_take(&c->late, tid, &look)) {
		t = live_threads_find(look.process, tid);
		if (t == NULL || result == PTRACE_STOP_GONE)
			continue;
		if (copied)
			enqueue(c, look.process, t, look.time, &look.state,
				SOURCE_SAME);
		else if (result == PTRACE_STOP_DONE)
			enqueue_stopped(c, t, &look);
		else
			enqueue(c, look.process, t, look.time, &look.state,
				SOURCE_NONE);
		c->counts.timed_out += result == PTRACE_STOP_RELEASED;
		copied = result == PTRACE_STOP_DONE;
	}
}

void
capture_stop_copy(struct capture *c, uint64_t deadline)
{
	enum ptrace_stop_result result;
	int64_t tid;

	while (ptrace_stop_next(c->options.tracer, deadline, &c->stopped, &tid,
				&result)) {
		capture_stop_count(c, result);
		enqueue_late(c, tid, result);
	}
}

void
capture_stop_give_up(struct capture *c)
{
	struct live_thread *t;
	struct look look;

	while (c->late.n > 0) {
		looks_take(&c->late, looks_any(&c->late)->tid, &look);
		t = live_threads_find(look.process, look.tid);
		if (t == NULL || live_threads_has_ended(t))
			continue;
		c->counts.timed_out++;
		enqueue(c, look.process, t, look.time, &look.state,
			SOURCE_NONE);
	}
}

/*
 * The result of a request for a thread whose last look is late.  False if it
 * will not stop.
 */
static bool
handle_result(struct capture *c, struct live_thread *t,
	      const struct ptrace_stop_request *r)
{
	const enum ptrace_stop_result result = capture_stop_result(t,
								   r->result);

	capture_stop_count(c, result);
	if (result == PTRACE_STOP_PENDING)
		return true;
	looks_drop_last(&c->late, r->tid);
	return result == PTRACE_STOP_GONE;
}

bool
capture_stop_thread(struct capture *c, struct live_threads *l,
		    struct live_thread *t, const struct thread_state *state)
{
	struct ptrace_stop_request request = { .tid = t->files.tid };

	if (c->options.no_stop)
		return false;
	capture_memory_prepare(l, t, t->round.time);
	if (!capture_stop_add_late(c, l, t, state))
		return true;
	ptrace_stop_interrupt(c->options.tracer, l->process.pid, &request, 1);
	if (!handle_result(c, t, &request))
		return false;
	stack_cache_clear_waiting(&t->cache);
	capture_stop_copy(c, 0);
	return true;
}

void
capture_stop_running(struct capture *c, struct live_threads *l,
		     struct live_thread *t, const struct thread_state *state,
		     bool check)
{
	bool is_pending;

	stack_cache_clear_waiting(&t->cache);
	if (!state->call.running)
		live_threads_describe_wait(t, &state->call, t->round.time);
	if (c->options.no_stop) {
		capture_stop_enqueue(c, l, t, state, SOURCE_NONE);
		return;
	}
	/* A copy that has been made is no copy of what runs now. */
	capture_stop_copy(c, 0);
	is_pending = looks_find(&c->late, t->files.tid) != NULL;
	if (!is_pending)
		capture_memory_prepare(l, t, t->round.time);
	if (!capture_stop_add_late(c, l, t, state) || is_pending)
		return;
	c->request = mem_grow(c->request, &c->request_cap, c->nrequest + 1,
			      sizeof(*c->request));
	c->request[c->nrequest++] =
	    (struct ptrace_stop_request){ .tid = t->files.tid, .check = check };
}

void
capture_stop_requested(struct capture *c, struct live_threads *l)
{
	const struct ptrace_stop_request *r = c->request;
	const size_t n = c->nrequest;
	struct live_thread *t;
	size_t i;

	if (n == 0)
		return;
	c->nrequest = 0;
	ptrace_stop_interrupt(c->options.tracer, l->process.pid, c->request, n);
	for (i = 0; i < n; i++) {
		t = live_threads_find(l, r[i].tid);
		if (t != NULL && !handle_result(c, t, &r[i]))
			capture_stop_enqueue(c, l, t, &t->round.state,
					     SOURCE_NONE);
	}
	capture_stop_copy(c, 0);
}

/*
 * It may wait by now, in a call that a stop would make fail.  This runs in the
 * tracer.
 */
enum ptrace_stop_result
capture_stop_check(void *arg, int64_t tid)
{
	struct capture *c = arg;
	const struct look *look = looks_find(&c->late, tid);
	struct live_thread *t = look == NULL ?
				    NULL :
				    live_threads_find(look->process, tid);
	struct thread_state state;

	if (t == NULL)
		return PTRACE_STOP_GONE;
	state = look->state;
	if (!thread_state_update(&t->files, c->options.counter, &state))
		return PTRACE_STOP_GONE;
	return state.call.running ||
		       thread_call_restarts(look->process->process.arch, t,
					    &state.call) ?
		   PTRACE_STOP_PENDING :
		   PTRACE_STOP_HARMFUL;
}
