/* capture_memory.c - memory of threads, and frames of interpreters in it. */
#include "sampler/capture_memory.h"

#include "interp/interp_runtime.h"
#include "os/clock.h"
#include "sampler/capture-internal.h"

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
	interp_runtime_find(l->interp, &target, &reader, &why);
	if (why.len > 0)
		buf_printf(&c->refusals, "process %lld has %.*s\n",
			   (long long)l->process.pid, (int)why.len, why.p);
	buf_free(&why);
}

void
capture_memory_read_maps(struct capture *c, struct live_threads *l, int64_t tid)
{
	/* This may read files, which takes long. */
	ptrace_stop_drop_priority(c->options.tracer);
	live_process_read_maps(&l->process, tid, c->options.observers,
			       clock_ns(CLOCK_MONOTONIC));
	find_interpreter(c, l, tid);
	unwind_copy_prepare(c->unwind, &l->process);
}

void
capture_memory_update_maps(struct capture *c, struct live_threads *l,
			   int64_t tid, uint64_t sp, uint64_t pc)
{
	const struct proc_map *code = live_process_find_map(&l->process, pc);

	if (l->process.maps_current ||
	    (live_process_find_map(&l->process, sp) != NULL && code != NULL &&
	     proctext_is_code(code)))
		return;
	capture_memory_read_maps(c, l, tid);
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

static struct interp_reader
reader_of(const struct live_threads *l, struct live_thread *t)
{
	return (struct interp_reader){ .tid = t->files.tid,
				       .inner_tid = live_threads_inner_tid(t),
				       .pid = l->process.pid };
}

void
capture_memory_prepare(struct live_threads *l, struct live_thread *t,
		       uint64_t now)
{
	const struct interp_target target = { .pid = l->process.pid,
					      .map = l->process.maps.map,
					      .n = l->process.maps.n };
	const struct interp_reader reader = reader_of(l, t);
	const struct proc_call *call = &t->round.state.call;

	interp_prepare(l->interp, &t->interp, &target, &reader,
		       call->running ? 0 : call->sp, now);
}

void
capture_memory_name_thread(struct live_threads *l, struct live_thread *t,
			   uint64_t now)
{
	const struct interp_reader reader = reader_of(l, t);

	capture_memory_prepare(l, t, now);
	interp_name_thread(l->interp, &t->interp, &reader, now);
}

/* The thread whose block of the runtime is at an address, or NULL. */
static const struct live_thread *
find_block(const struct live_threads *l, uint64_t block)
{
	size_t i;

	for (i = 0; block != 0 && i < l->n; i++) {
		if (l->thread[i]->interp.block == block)
			return l->thread[i];
	}
	return NULL;
}

const struct live_thread *
capture_memory_lock_owner(const struct live_threads *l, struct live_thread *t)
{
	const struct interp_reader reader = reader_of(l, t);

	return find_block(l, interp_lock_owner(l->interp, &t->interp, &reader));
}

const struct live_thread *
capture_memory_find_wait(const struct live_threads *l, struct live_thread *t,
			 struct interp_wait *wait)
{
	const struct interp_reader reader = reader_of(l, t);

	interp_find_wait(l->interp, &t->interp, &reader,
			 &t->cache.frames.steps.stack, wait);
	return find_block(l, wait->owner);
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
		.registers = &r->registers,
		.thread_pointer = r->thread_pointer,
		.futex = same ? find_futex(&look->process->process, call) : 0
	};
}

struct interp_moment
capture_memory_waiting(const struct live_process *p,
		       const struct proc_call *call)
{
	return (struct interp_moment){ .sp = call->sp,
				       .pc = call->pc,
				       .futex = find_futex(p, call) };
}

void
capture_memory_copy(struct capture *c, struct live_threads *l,
		    struct live_thread *t, const struct interp_moment *moment,
		    struct buf *stack, struct interp_stack *vm)
{
	const struct interp_reader reader = { .tid = t->files.tid,
					      .inner_tid = t->inner_tid };
	const bool has_vm = t->interp.block != 0;

	interp_copy_begin(&c->memory, &reader, has_vm ? &t->interp.spans : NULL,
			  moment, stack, stack_size(c, l, moment->sp));
	interp_walk(l->interp, &t->interp, &c->memory, vm);
}

void
capture_memory_copy_stopped(void *arg, int64_t tid,
			    struct stopped_thread *stopped)
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
	capture_memory_copy(c, look->process, t, &moment, &stopped->stack,
			    &stopped->vm);
}

/*
 * Find the native frames that are the code of functions of the interpreter,
 * which calls them by a few functions of its own.
 */
static void
find_code(struct capture *c, const struct live_threads *l,
	  struct stack_frames *f)
{
	enum { CALLS = 8 };
	struct interp_entry *e = f->vm.entry;
	size_t i, at, end;

	for (i = 0; i < f->vm.n; i++) {
		end = i == 0 ? 0 : e[i - 1].at;
		at = e[i].native == 0 || e[i].at > f->n ? end : e[i].at;
		for (; at > end && e[i].at - at < CALLS && !e[i].has_code;
		     at--) {
			e[i].has_code = unwind_copy_begins(
			    c->unwind, &l->process, e[i].native,
			    &f->frame[at - 1]);
			e[i].code = (uint32_t)(at - 1);
		}
	}
}

static void
merge(struct capture *c, struct live_threads *l, struct live_thread *t,
      struct interp_stack *vm, struct stack_frames *f)
{
	/* The thread may have ended since: servers begin one for each request.
	 */
	const struct interp_reader reader = reader_of(l, t);
	size_t own;

	if (f->is_same && interp_has_steps(l->interp)) {
		interp_name_thread(l->interp, &t->interp, &reader,
				   t->round.time);
		return;
	}
	f->n = f->origin.n;
	f->vm.n = 0;
	f->vm.unmerged = false;
	f->lock = vm->lock;
	if (!interp_is_active(l->interp))
		return;
	if (interp_has_steps(l->interp))
		vm = &f->steps.stack;
	interp_name(l->interp, &reader, c->options.functions, vm);
	interp_name_thread(l->interp, &t->interp, &reader, t->round.time);
	own = interp_own_frames(l->interp, f->frame, f->n);
	f->truncated &= own == f->n;
	if (!interp_stack_has_places(vm))
		f->n = own;
	interp_merge(vm, f->frame, f->n, !f->truncated, interp_loops(l->interp),
		     &f->vm);
	find_code(c, l, f);
	/* A segment may have its place in a frame that is left out. */
	if (f->vm.n == 0 || f->vm.entry[f->vm.n - 1].at < own)
		f->n = own;
	f->truncated &= !f->vm.continues;
}

void
capture_memory_merge(struct capture *c, struct live_threads *l,
		     struct live_thread *t, struct interp_stack *vm,
		     struct stack_frames *f)
{
	merge(c, l, t, vm, f);
	unwind_copy_check_text(f,
			       (uint64_t)l->process.pid ^ l->process.maps_time);
}
