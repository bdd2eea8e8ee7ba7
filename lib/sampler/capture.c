/* capture.c - capture thread stacks: by a copy while a thread waits, or by a
 * short stop. */
#include "sampler/capture.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/capture-internal.h"
#include "sampler/capture_memory.h"
#include "sampler/capture_stop.h"
#include "sampler/stop_results.h"
#include "sampler/thread_call.h"

#include <stdlib.h>

struct capture *
capture_new(const struct capture_options *options)
{
	struct capture *c = mem_zero(1, sizeof(*c));

	c->options = *options;
	c->unwind = unwind_copy_new(options->resolver);
	ptrace_stop_set_copier(
	    options->tracer,
	    &(struct ptrace_stop_copier){ .copy = capture_memory_copy_stopped,
					  .check = capture_stop_check,
					  .arg = c });
	return c;
}

void
capture_free(struct capture *c)
{
	size_t i;

	unwind_copy_free(c->unwind);
	for (i = 0; i < c->queue_cap; i++)
		stop_results_free_thread(&c->queue[i].stopped);
	free(c->queue);
	looks_free(&c->late);
	free(c->request);
	stop_results_free_thread(&c->stopped);
	buf_free(&c->copy);
	interp_stack_free(&c->vm);
	interp_copy_free(&c->memory);
	buf_free(&c->refusals);
	unwind_copy_release(&c->no_frames);
	unwind_copy_release(&c->late_frames);
	free(c);
}

struct capture_counts
capture_counts(const struct capture *c)
{
	return c->counts;
}

struct str
capture_refusals(const struct capture *c)
{
	return buf_slice(&c->refusals);
}

/* Threads that were stopped. */

void
capture_stopped(struct capture *c)
{
	capture_stop_copy(c, 0);
}

void
capture_late(struct capture *c)
{
	capture_stop_copy(c, 0);
}

void
capture_finish(struct capture *c, uint64_t wait)
{
	capture_stop_copy(c, clock_ns(CLOCK_MONOTONIC) + wait);
	capture_stop_give_up(c);
}

void
capture_wait(struct capture *c)
{
	capture_stop_copy(c, clock_ns(CLOCK_MONOTONIC) + c->options.wait);
}

void
capture_forget(struct capture *c, const struct live_threads *l)
{
	looks_forget(&c->late, l);
}

/* Copying threads that wait. */

/* Stop a thread for its registers, if the stop does no harm. */
static bool
stop_for_registers(struct capture *c, struct live_threads *l,
		   struct live_thread *t, const struct thread_state *state)
{
	live_threads_describe_wait(t, &state->call, t->round.time);
	return thread_call_restarts(l->process.arch, t, &state->call) &&
	       capture_stop_thread(c, l, t, state);
}

/* False if the thread has run while its memory was read. */
static bool
unwind_live(struct capture *c, struct live_thread *t,
	    const struct thread_state *state, const struct stack_copy *copy)
{
	unwind_copy_unwind(c->unwind, copy, &t->cache.frames);
	return !t->cache.frames.read_live ||
	       thread_state_unchanged(&t->files, c->options.counter, state);
}

/*
 * Unwind a thread that waits: with the registers we know; or else by a stop; or
 * else by guessing the frame pointer.  False if there is nothing to queue: the
 * thread was stopped, or it has run.
 */
static bool
unwind_waiting(struct capture *c, struct live_threads *l, struct live_thread *t,
	       const struct thread_state *state, struct stack_copy *copy)
{
	bool waits = unwind_live(c, t, state, copy);

	if (waits && t->cache.frames.lost) {
		if (stop_for_registers(c, l, t, state))
			return false;
		copy->find_frame = true;
		waits = unwind_live(c, t, state, copy);
	}
	if (!waits)
		capture_stop_running(c, l, t, state, true);
	return waits;
}

/* Copy the stack into c->copy; false if the thread has run meanwhile. */
static bool
copy_waiting(struct capture *c, struct live_threads *l, struct live_thread *t,
	     const struct thread_state *state)
{
	const struct interp_moment moment = capture_memory_waiting(
	    &l->process, &state->call);

	capture_memory_update_maps(c, l, t->files.tid, moment.sp, moment.pc);
	capture_memory_prepare(l, t, t->round.time);
	capture_memory_copy(c, l, t, &moment, &c->copy, &c->vm);
	return thread_state_unchanged(&t->files, c->options.counter, state);
}

static void
capture_waiting(struct capture *c, struct live_threads *l,
		struct live_thread *t, const struct thread_state *state)
{
	const struct proc_call *call = &state->call;
	struct stack_copy copy = { .process = &l->process,
				   .interp = l->interp,
				   .tid = t->files.tid,
				   .arch = l->process.arch,
				   .sp = call->sp,
				   .waiting = true };

	if (stack_cache_hit(&t->cache, state)) {
		live_threads_describe_again(t, t->round.time);
		capture_stop_enqueue(c, l, t, state, SOURCE_CACHE);
		return;
	}
	if (!copy_waiting(c, l, t, state)) {
		capture_stop_running(c, l, t, state, true);
		return;
	}
	stack_cache_set_waiting(&t->cache, state);
	copy.bytes = buf_slice(&c->copy);
	copy.jit = c->vm.jit;
	if (!stack_cache_has_bytes(&t->cache, call, copy.bytes)) {
		copy.registers = arch_registers_at(
		    copy.arch, call->sp, call->pc,
		    call->number < 0 ? NULL : call->arg);
		stack_cache_clear_bytes(&t->cache);
		if (!unwind_waiting(c, l, t, state, &copy))
			return;
	}
	capture_memory_merge(c, l, t, &c->vm, &t->cache.frames);
	/* Its block was not found yet: look again in the next round. */
	if (c->vm.n == 0 && t->cache.frames.vm.unmerged)
		stack_cache_clear_waiting(&t->cache);
	live_threads_describe_wait(t, &state->call, t->round.time);
	capture_stop_enqueue(c, l, t, state, SOURCE_CACHE);
}

void
capture_thread(struct capture *c, struct live_threads *l, struct live_thread *t)
{
	const struct thread_state *state = &t->round.state;

	if (t->round.long_wait) {
		live_threads_describe_again(t, t->round.time);
		capture_stop_enqueue(c, l, t, &t->cache.state, SOURCE_CACHE);
	} else if (state->call.running)
		capture_stop_running(c, l, t, state, true);
	else if (c->options.counter == THREAD_STATE_NONE)
		capture_stop_running(c, l, t, state, false);
	else
		capture_waiting(c, l, t, state);
	if (c->late.n == 0)
		ptrace_stop_limit_priority(c->options.tracer);
}

void
capture_interrupt(struct capture *c, struct live_threads *l)
{
	capture_stop_requested(c, l);
}

/* Unwinding threads that were stopped. */

static void
unwind_stopped(struct capture *c, struct live_threads *l, struct live_thread *t,
	       struct stopped_thread *stopped, struct stack_frames *frames)
{
	const struct arch_thread *r = &stopped->state;
	struct stack_copy copy = { .process = &l->process,
				   .interp = l->interp,
				   .tid = t->files.tid,
				   .arch = r->arch,
				   .registers = r->registers,
				   .sp = r->sp,
				   .bytes = buf_slice(&stopped->stack),
				   .lasting = stopped->vm.lasting,
				   .jit = stopped->vm.jit };

	capture_memory_update_maps(c, l, t->files.tid, r->sp, r->pc);
	unwind_copy_unwind(c->unwind, &copy, frames);
	if (frames->lost && !l->process.maps_current) {
		capture_memory_read_maps(c, l, t->files.tid);
		unwind_copy_unwind(c->unwind, &copy, frames);
	}
	capture_memory_merge(c, l, t, &stopped->vm, frames);
}

/*
 * A thread that still waited where its state says will have the same stack for
 * as long as that has the same bytes.
 */
static void
unwind_queued(struct capture *c, struct queued *q)
{
	const struct arch_thread *r = &q->stopped.state;
	const struct proc_call *call = &q->state.call;
	const bool same = !call->running && r->sp == call->sp &&
			  r->pc == call->pc;
	const bool late = q->source == SOURCE_LATE;
	struct stack_cache *k = &q->thread->cache;
	struct stack_frames *f = late ? &c->late_frames : &k->frames;

	unwind_stopped(c, q->process, q->thread, &q->stopped, f);
	f->moving = call->running ? r->waited : !same;
	c->frames = f;
	if (late)
		return;
	if (same)
		stack_cache_set_bytes(k, r->sp, r->pc,
				      buf_slice(&q->stopped.stack));
	else
		stack_cache_clear_bytes(k);
	/* For its name; nothing else is said of a thread that runs. */
	if (call->running)
		live_threads_retry_name(q->thread);
}

/* The frames of an element of the queue. */
static struct stack_frames *
find_frames(struct capture *c, struct queued *q)
{
	switch (q->source) {
	case SOURCE_CACHE:
		return &q->thread->cache.frames;
	case SOURCE_STOP:
	case SOURCE_LATE:
		unwind_queued(c, q);
		return c->frames;
	case SOURCE_SAME:
		return c->frames;
	default:
		c->no_frames.moving = true;
		c->no_frames.text.len = 0;
		return &c->no_frames;
	}
}

bool
capture_next(struct capture *c, struct captured *captured)
{
	struct queued *q;

	capture_stop_copy(c, 0);
	if (c->next == c->nqueue) {
		c->next = c->nqueue = 0;
		return false;
	}
	ptrace_stop_drop_priority(c->options.tracer);
	q = &c->queue[c->next++];
	captured->process = q->process;
	captured->thread = q->thread;
	captured->time = q->time;
	captured->state = q->state;
	captured->frames = find_frames(c, q);
	return true;
}

/* All threads at one moment. */

/* A thread that has not stopped yet is queued when it has. */
static void
enqueue_together(struct capture *c, struct live_threads *l,
		 struct live_thread *t, enum ptrace_stop_result result,
		 struct stopped_thread *stopped)
{
	struct look look;

	result = capture_stop_result(t, result);
	capture_stop_count(c, result);
	if (result == PTRACE_STOP_PENDING)
		return;
	while (looks_take(&c->late, t->files.tid, &look))
		;
	if (result == PTRACE_STOP_DONE) {
		unwind_stopped(c, l, t, stopped, &t->cache.frames);
		capture_stop_enqueue(c, l, t, &t->round.state, SOURCE_CACHE);
	} else if (result != PTRACE_STOP_GONE) {
		capture_stop_enqueue(c, l, t, &t->round.state, SOURCE_NONE);
	}
}

void
capture_together(struct capture *c, struct live_threads *l,
		 struct live_thread **thread, size_t n)
{
	struct ptrace_stop_request *request = mem_zero(n + 1, sizeof(*request));
	struct stopped_thread *stopped = mem_zero(n + 1, sizeof(*stopped));
	size_t i;

	for (i = 0; i < n; i++) {
		capture_memory_prepare(l, thread[i], thread[i]->round.time);
		capture_stop_add_late(c, l, thread[i], &thread[i]->round.state);
		request[i].tid = thread[i]->files.tid;
		request[i].thread = &stopped[i];
	}
	ptrace_stop_threads(c->options.tracer, l->process.pid, request, n);
	for (i = 0; i < n; i++) {
		enqueue_together(c, l, thread[i], request[i].result,
				 &stopped[i]);
		stop_results_free_thread(&stopped[i]);
	}
	free(request);
	free(stopped);
}

void
capture_unwind_task(struct capture *c, const struct stack_copy *copy,
		    struct stack_frames *f)
{
	unwind_copy_unwind(c->unwind, copy, f);
}
