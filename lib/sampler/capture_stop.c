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
		looks_take(&c->late, c->late.look[0].tid, &look);
		t = live_threads_find(look.process, look.tid);
		if (t == NULL || live_threads_has_ended(t))
			continue;
		c->counts.timed_out++;
		enqueue(c, look.process, t, look.time, &look.state,
			SOURCE_NONE);
	}
}

bool
capture_stop_thread(struct capture *c, struct live_threads *l,
		    struct live_thread *t, const struct thread_state *state)
{
	enum ptrace_stop_result result;

	if (c->options.no_stop)
		return false;
	capture_memory_prepare(l, t, t->round.time);
	if (!capture_stop_add_late(c, l, t, state))
		return true;
	result = capture_stop_result(t, ptrace_stop_interrupt(c->options.tracer,
							      l->process.pid,
							      t->files.tid));
	capture_stop_count(c, result);
	if (result != PTRACE_STOP_PENDING)
		looks_drop_last(&c->late);
	if (result == PTRACE_STOP_DENIED)
		return false;
	stack_cache_clear_waiting(&t->cache);
	capture_stop_copy(c, 0);
	return true;
}

void
capture_stop_running(struct capture *c, struct live_threads *l,
		     struct live_thread *t, const struct thread_state *state)
{
	stack_cache_clear_waiting(&t->cache);
	if (!state->call.running)
		live_threads_describe_wait(t, &state->call, t->round.time);
	if (!capture_stop_thread(c, l, t, state))
		capture_stop_enqueue(c, l, t, state, SOURCE_NONE);
}

void
capture_stop_if_moved(struct capture *c, struct live_threads *l,
		      struct live_thread *t, const struct thread_state *first)
{
	struct thread_state state;

	stack_cache_clear_waiting(&t->cache);
	if (!thread_state_read(&t->files, c->options.counter, &state))
		return;
	if (state.call.running ||
	    thread_call_restarts(l->process.arch, t, &state.call))
		capture_stop_running(c, l, t, first);
	else
		capture_stop_enqueue(c, l, t, first, SOURCE_NONE);
}
