/* capture.c - capture thread stacks: by a copy while a thread waits, or by a
 * short stop. */
#include "sampler/capture.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/looks.h"
#include "sampler/thread_call.h"

#include <stdlib.h>

/* A thread may never stop: in a frozen container, on a disk that is gone. */
enum { MAX_LATE = 65536 };

enum stack_source {
	SOURCE_CACHE, /* the frames in the thread's cache */
	SOURCE_STOP,  /* a copy that has to be unwound, into the cache */
	SOURCE_LATE,  /* the same, but the cache has newer frames */
	SOURCE_SAME,  /* the frames of the element before this one */
	SOURCE_NONE
};

struct queued {
	struct live_threads *process;
	struct live_thread *thread;
	struct thread_state state;
	uint64_t time;
	enum stack_source source;
	struct stopped_thread stopped;
};

struct capture {
	struct capture_options options;
	struct unwind_copy *unwind;

	struct looks late;    /* at threads that have not stopped yet */
	struct queued *queue; /* all cap elements are initialized */
	size_t nqueue, queue_cap;
	size_t next;                 /* for capture_next() */
	struct stack_frames *frames; /* of the element before */

	/* Used again and again: */
	struct stopped_thread stopped;
	struct buf copy;
	struct interp_stack vm; /* of copy */
	struct interp_copy memory;
	struct stack_frames no_frames, late_frames;
	struct buf refusals;

	struct capture_counts counts;
};

struct capture *
capture_new(const struct capture_options *options)
{
	struct capture *c = mem_zero(1, sizeof(*c));

	c->options = *options;
	c->unwind = unwind_copy_new(options->resolver);
	return c;
}

static void
free_stopped(struct stopped_thread *stopped)
{
	buf_free(&stopped->stack);
	interp_stack_free(&stopped->vm);
}

void
capture_free(struct capture *c)
{
	size_t i;

	unwind_copy_free(c->unwind);
	for (i = 0; i < c->queue_cap; i++)
		free_stopped(&c->queue[i].stopped);
	free(c->queue);
	looks_free(&c->late);
	free_stopped(&c->stopped);
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

/* Memory. */

/* Find the interpreter of a process. */
static void
find_interpreter(struct capture *c, struct live_threads *l, int64_t tid)
{
	const struct interp_target target = {
		.pid = l->process.pid,
		.map = l->process.maps.map,
		.n = l->process.maps.n,
		.with_requests = c->options.with_requests
	};
	const struct interp_reader reader = { .tid = tid };
	struct buf why = { 0 };

	if (c->options.functions == NULL)
		return;
	interp_update(l->interp, &target, &reader, &why);
	if (why.len > 0)
		buf_printf(&c->refusals, "process %lld has %.*s\n",
			   (long long)l->process.pid, (int)why.len, why.p);
	buf_free(&why);
}

void
capture_read_maps(struct capture *c, struct live_threads *l, int64_t tid)
{
	/* This may read files, which takes long. */
	ptrace_stop_background(c->options.tracer);
	live_process_read_maps(&l->process, tid, c->options.observers,
			       clock_ns(CLOCK_MONOTONIC));
	find_interpreter(c, l, tid);
	unwind_copy_prepare(c->unwind, &l->process);
}

/* Read the memory map, once a round, if the thread is in unknown memory. */
static void
update_maps(struct capture *c, struct live_threads *l, int64_t tid, uint64_t sp,
	    uint64_t pc)
{
	const struct proc_map *code = live_process_find_map(&l->process, pc);

	if (l->process.maps_current ||
	    (live_process_find_map(&l->process, sp) != NULL && code != NULL &&
	     proctext_is_code(code)))
		return;
	capture_read_maps(c, l, tid);
}

/* How much of the stack to copy, from the stack pointer on. */
static size_t
stack_size(const struct capture *c, const struct live_threads *l, uint64_t sp)
{
	const struct proc_map *m = live_process_find_map(&l->process, sp);
	const uint64_t default_size = 16384;
	uint64_t n = m == NULL ? default_size : m->end - sp;

	return n > c->options.max_stack ? c->options.max_stack : (size_t)n;
}

/* Find out where the interpreter keeps the frames of a thread. */
static void
prepare_interpreter(struct live_threads *l, struct live_thread *t)
{
	const struct interp_target target = { .pid = l->process.pid,
					      .map = l->process.maps.map,
					      .n = l->process.maps.n };
	const struct interp_reader reader = { .tid = t->files.tid };
	const struct proc_call *call = &t->round.state.call;

	interp_prepare(l->interp, &t->interp, &target, &reader,
		       call->running ? 0 : call->sp, t->round.time);
}

/*
 * The word that a thread waits for in futex(2), or in restart_syscall(2), whose
 * argument may be that of another call, but is then in no lock; 0 if none.
 */
static uint64_t
find_futex(const struct live_process *p, const struct proc_call *call)
{
	const char *name = arch_call_name(p->arch, call->number);

	return name != NULL && (strcmp(name, "futex") == 0 ||
				strcmp(name, "restart_syscall") == 0) ?
		   call->arg[0] :
		   0;
}

/* What a stop tells of a thread's registers, after it was looked at. */
static struct interp_moment
stopped_moment(const struct arch_thread *r, const struct look *look)
{
	const struct proc_call *call = &look->state.call;
	const bool same = !call->running && call->sp == r->sp &&
			  call->pc == r->pc;

	return (struct interp_moment){
		.sp = r->sp,
		.pc = r->pc,
		.fp = r->registers.value[r->arch->fp],
		.thread_pointer = r->thread_pointer,
		.futex = same ? find_futex(&look->process->process, call) : 0
	};
}

/* What the state of a waiting thread tells of them. */
static struct interp_moment
waiting_moment(const struct live_process *p, const struct proc_call *call)
{
	return (struct interp_moment){ .sp = call->sp,
				       .pc = call->pc,
				       .futex = find_futex(p, call) };
}

/*
 * Copy the stack of a thread that cannot run, and walk its frames of the
 * interpreter.
 */
static void
copy_memory(struct capture *c, struct live_threads *l, struct live_thread *t,
	    const struct interp_moment *moment, struct buf *stack,
	    struct interp_stack *vm)
{
	const struct interp_reader reader = { .tid = t->files.tid };
	const bool has_vm = t->interp.block != 0;

	interp_copy_begin(&c->memory, &reader, has_vm ? &t->interp.spans : NULL,
			  moment, stack, stack_size(c, l, moment->sp));
	interp_walk(l->interp, &t->interp, &c->memory, vm);
}

/* For struct ptrace_stop_copier. */
static void
copy_stopped_thread(void *arg, int64_t tid, struct stopped_thread *stopped)
{
	struct capture *c = arg;
	const struct look *look = looks_find(&c->late, tid);
	struct live_thread *t = look == NULL ?
				    NULL :
				    live_threads_find(look->process, tid);
	struct interp_moment moment;

	if (t == NULL)
		return;
	moment = stopped_moment(&stopped->state, look);
	copy_memory(c, look->process, t, &moment, &stopped->stack,
		    &stopped->vm);
}

/* Find names of the interpreter's frames, and places among native ones. */
static void
merge(struct capture *c, struct live_threads *l, struct live_thread *t,
      struct interp_stack *vm, struct stack_frames *f)
{
	/* The thread may have ended since: servers begin one for each request.
	 */
	const struct interp_reader reader = { .tid = t->files.tid,
					      .pid = l->process.pid };

	f->vm.n = 0;
	f->vm.unmerged = false;
	f->lock = vm->lock;
	if (!interp_is_active(l->interp))
		return;
	f->text.len = 0;
	interp_name(l->interp, &reader, c->options.functions, vm);
	interp_name_thread(l->interp, &t->interp, &reader, t->round.time);
	interp_merge(vm, f->frame, f->n, !f->truncated, interp_loops(l->interp),
		     &f->vm);
	f->truncated &= !f->vm.continues;
}

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

/* Queue a look of this round. */
static void
enqueue_now(struct capture *c, struct live_threads *l, struct live_thread *t,
	    const struct thread_state *state, enum stack_source source)
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

static void
count_result(struct capture *c, enum ptrace_stop_result result)
{
	c->counts.denied += result == PTRACE_STOP_DENIED;
	c->counts.bits32 += result == PTRACE_STOP_32BIT;
}

/* ptrace(2) fails with the same errno for a thread that is just ending. */
static enum ptrace_stop_result
denied_or_gone(const struct live_thread *t, enum ptrace_stop_result result)
{
	return result == PTRACE_STOP_DENIED && live_threads_has_ended(t) ?
		   PTRACE_STOP_GONE :
		   result;
}

static void
add_late(struct capture *c, struct live_threads *l, struct live_thread *t,
	 const struct thread_state *state)
{
	if (c->late.n == MAX_LATE) {
		c->counts.timed_out++;
		enqueue_now(c, l, t, state, SOURCE_NONE);
		return;
	}
	looks_add(&c->late, &(struct look){ .process = l,
					    .tid = t->files.tid,
					    .time = t->round.time,
					    .state = *state });
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
		copied = result == PTRACE_STOP_DONE;
	}
}

/* Copy threads as they stop, until a deadline; 0: do not wait. */
static void
copy_stopped(struct capture *c, uint64_t deadline)
{
	const struct ptrace_stop_copier copier = { copy_stopped_thread, c };
	enum ptrace_stop_result result;
	int64_t tid;

	while (ptrace_stop_next(c->options.tracer, deadline, &copier,
				&c->stopped, &tid, &result)) {
		count_result(c, result);
		enqueue_late(c, tid, result);
	}
}

void
capture_stopped(struct capture *c)
{
	copy_stopped(c, 0);
}

/* Threads that were released without a copy, or will not stop, have no stack.
 */
static void
give_up(struct capture *c, bool all)
{
	struct live_thread *t;
	struct look look;
	size_t i = 0;
	int64_t tid;

	while (i < c->late.n) {
		tid = c->late.look[i].tid;
		if (!all && ptrace_stop_is_pending(c->options.tracer, tid)) {
			i++;
			continue;
		}
		looks_take(&c->late, tid, &look);
		t = live_threads_find(look.process, tid);
		if (t == NULL || live_threads_has_ended(t))
			continue;
		c->counts.timed_out++;
		enqueue(c, look.process, t, look.time, &look.state,
			SOURCE_NONE);
	}
}

void
capture_late(struct capture *c)
{
	copy_stopped(c, 0);
	give_up(c, false);
}

void
capture_finish(struct capture *c, uint64_t wait)
{
	copy_stopped(c, clock_ns(CLOCK_MONOTONIC) + wait);
	give_up(c, true);
}

void
capture_wait(struct capture *c)
{
	copy_stopped(c, clock_ns(CLOCK_MONOTONIC) + c->options.wait);
	ptrace_stop_background(c->options.tracer);
}

void
capture_forget(struct capture *c, const struct live_threads *l)
{
	looks_forget(&c->late, l);
}

/* Stop a thread; false if we may not. */
static bool
stop(struct capture *c, struct live_threads *l, struct live_thread *t,
     const struct thread_state *state)
{
	enum ptrace_stop_result result;

	if (c->options.no_stop)
		return false;
	prepare_interpreter(l, t);
	result = denied_or_gone(t, ptrace_stop_interrupt(c->options.tracer,
							 l->process.pid,
							 t->files.tid));
	count_result(c, result);
	if (result == PTRACE_STOP_DENIED)
		return false;
	stack_cache_clear_waiting(&t->cache);
	if (result == PTRACE_STOP_PENDING) {
		add_late(c, l, t, state);
		copy_stopped(c, clock_ns(CLOCK_MONOTONIC) + PTRACE_STOP_SOON);
	}
	return true;
}

/*
 * Capture a thread that runs, or that could not be copied.  A stop makes it run
 * to restart its call, so find out before where it waits.
 */
static void
capture_by_stop(struct capture *c, struct live_threads *l,
		struct live_thread *t, const struct thread_state *state)
{
	stack_cache_clear_waiting(&t->cache);
	if (!state->call.running)
		live_threads_describe(t);
	if (!stop(c, l, t, state))
		enqueue_now(c, l, t, state, SOURCE_NONE);
}

/*
 * The thread has run since its state was read.  Do not wait for another chance
 * to copy it: threads that wait briefly would be missing from the profile.
 */
static void
capture_moved(struct capture *c, struct live_threads *l, struct live_thread *t,
	      const struct thread_state *first)
{
	struct thread_state state;

	stack_cache_clear_waiting(&t->cache);
	if (!thread_state_read(&t->files, c->options.counter, &state))
		return;
	if (state.call.running ||
	    thread_call_restarts(l->process.arch, t, &state.call))
		capture_by_stop(c, l, t, first);
	else
		enqueue_now(c, l, t, first, SOURCE_NONE);
}

/* Copying threads that wait. */

/* Stop a thread for its registers, if the stop does no harm. */
static bool
stop_for_registers(struct capture *c, struct live_threads *l,
		   struct live_thread *t, const struct thread_state *state)
{
	live_threads_describe(t);
	return thread_call_restarts(l->process.arch, t, &state->call) &&
	       stop(c, l, t, state);
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
		capture_moved(c, l, t, state);
	return waits;
}

/* Copy the stack into c->copy; false if the thread has run meanwhile. */
static bool
copy_waiting(struct capture *c, struct live_threads *l, struct live_thread *t,
	     const struct thread_state *state)
{
	const struct interp_moment moment = waiting_moment(&l->process,
							   &state->call);

	update_maps(c, l, t->files.tid, moment.sp, moment.pc);
	prepare_interpreter(l, t);
	copy_memory(c, l, t, &moment, &c->copy, &c->vm);
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
		enqueue_now(c, l, t, state, SOURCE_CACHE);
		return;
	}
	if (!copy_waiting(c, l, t, state)) {
		capture_moved(c, l, t, state);
		return;
	}
	stack_cache_set_waiting(&t->cache, state);
	copy.bytes = buf_slice(&c->copy);
	if (!stack_cache_has_bytes(&t->cache, call, copy.bytes)) {
		copy.registers = arch_registers_at(
		    copy.arch, call->sp, call->pc,
		    call->number < 0 ? NULL : call->arg);
		stack_cache_clear_bytes(&t->cache);
		if (!unwind_waiting(c, l, t, state, &copy))
			return;
	}
	merge(c, l, t, &c->vm, &t->cache.frames);
	/* Its block was not found yet: look again in the next round. */
	if (c->vm.n == 0 && t->cache.frames.vm.unmerged)
		stack_cache_clear_waiting(&t->cache);
	live_threads_describe(t);
	enqueue_now(c, l, t, state, SOURCE_CACHE);
}

void
capture_thread(struct capture *c, struct live_threads *l, struct live_thread *t)
{
	const struct thread_state *state = &t->round.state;

	if (t->round.long_wait)
		enqueue_now(c, l, t, &t->cache.state, SOURCE_CACHE);
	/* It may wait by now, in a call that a stop would make fail. */
	else if (state->call.running)
		capture_moved(c, l, t, state);
	else if (c->options.counter == THREAD_STATE_NONE)
		capture_by_stop(c, l, t, state);
	else
		capture_waiting(c, l, t, state);
	if (c->late.n == 0)
		ptrace_stop_limit_priority(c->options.tracer);
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
				   .lasting = stopped->vm.lasting };

	update_maps(c, l, t->files.tid, r->sp, r->pc);
	unwind_copy_unwind(c->unwind, &copy, frames);
	if (frames->lost && !l->process.maps_current) {
		capture_read_maps(c, l, t->files.tid);
		unwind_copy_unwind(c->unwind, &copy, frames);
	}
	merge(c, l, t, &stopped->vm, frames);
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
	if (call->running)
		live_threads_describe(q->thread);
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

	copy_stopped(c, 0);
	if (c->next == c->nqueue) {
		c->next = c->nqueue = 0;
		return false;
	}
	ptrace_stop_limit_priority(c->options.tracer);
	ptrace_stop_background(c->options.tracer);
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

	result = denied_or_gone(t, result);
	count_result(c, result);
	if (result == PTRACE_STOP_PENDING)
		return;
	while (looks_take(&c->late, t->files.tid, &look))
		;
	if (result == PTRACE_STOP_DONE) {
		unwind_stopped(c, l, t, stopped, &t->cache.frames);
		enqueue_now(c, l, t, &t->round.state, SOURCE_CACHE);
	} else if (result != PTRACE_STOP_GONE) {
		enqueue_now(c, l, t, &t->round.state, SOURCE_NONE);
	}
}

void
capture_together(struct capture *c, struct live_threads *l,
		 struct live_thread **thread, size_t n)
{
	const struct ptrace_stop_copier copier = { copy_stopped_thread, c };
	struct ptrace_stop_request *request = mem_zero(n + 1, sizeof(*request));
	struct stopped_thread *stopped = mem_zero(n + 1, sizeof(*stopped));
	size_t i;

	for (i = 0; i < n; i++) {
		prepare_interpreter(l, thread[i]);
		add_late(c, l, thread[i], &thread[i]->round.state);
		request[i].tid = thread[i]->files.tid;
		request[i].thread = &stopped[i];
	}
	ptrace_stop_threads(c->options.tracer, l->process.pid, &copier, request,
			    n);
	for (i = 0; i < n; i++) {
		enqueue_together(c, l, thread[i], request[i].result,
				 &stopped[i]);
		free_stopped(&stopped[i]);
	}
	free(request);
	free(stopped);
}
