/* unwind_copy.c - unwinding a copied stack of a running process. */
#include "sampler/unwind_copy.h"

#include "base/hash.h"
#include "base/mem.h"
#include "os/clock.h"

#include <stdlib.h>

struct unwind_copy {
	struct resolver *resolver;
	struct unwind *unwind;

	/* During unwind_copy_unwind(). */
	const struct stack_copy *copy;
	struct interp_steps *steps;
	struct unwind_thread files; /* reads mapped files, by the resolver */
	bool read_live, read_code;  /* other memory than the copy was read */
	bool in_jit; /* the frames up to those of a JIT's code are unwound */
	struct buf block; /* of the process, from block_start on */
	uint64_t block_start;
};

static uint64_t
rotate(uint64_t n)
{
	return n << 29 | n >> 35;
}

struct unwind_copy *
unwind_copy_new(struct resolver *r)
{
	struct unwind_copy *u = mem_zero(1, sizeof(*u));

	u->resolver = r;
	u->unwind = unwind_new();
	return u;
}

void
unwind_copy_free(struct unwind_copy *u)
{
	unwind_free(u->unwind);
	buf_free(&u->block);
	free(u);
}

/*
 * Whether an address is in code that the JIT of an interpreter made, which is
 * in no file, or in the part of the interpreter that called it.
 */
static bool
is_jit(const struct stack_copy *copy, uint64_t address)
{
	const struct proc_map *m;

	if (copy->jit.returns_to != 0)
		return address + 1 == copy->jit.returns_to;
	m = live_process_find_map(copy->process, address);
	return (m != NULL && m->path.len == 0) ||
	       interp_binary_in(interp_loops(copy->interp), address);
}

static bool
map(void *arg, uint64_t address, struct unwind_map *m)
{
	struct unwind_copy *u = arg;
	const struct interp_jit *jit = interp_jit_find(u->copy->interp,
						       address);

	if (!u->files.map(u->files.arg, address, m))
		return false;
	if (jit != NULL && m->cfi == NULL &&
	    u->files.map(u->files.arg, jit->like, m) && m->cfi != NULL) {
		m->start = jit->code.start;
		m->end = jit->code.end;
		m->like = jit->like;
	}
	m->ends = u->in_jit && is_jit(u->copy, address);
	return true;
}

static enum unwind_vm
step_vm(void *arg, struct unwind_vm_frame *f)
{
	struct unwind_copy *u = arg;

	return interp_step(u->copy->interp, u->steps, f);
}

/* Whether memory that is no code has what it had when the copy was made. */
static bool
is_unchanged(const struct stack_copy *c, uint64_t address)
{
	return c->waiting || (c->lasting != 0 && address >= c->lasting);
}

/* Read memory that lasts, by blocks: frames beyond the copy are in few. */
static bool
read_lasting(struct unwind_copy *u, const struct proc_map *m, uint64_t address,
	     void *to, size_t n)
{
	const size_t size = 4096;
	uint64_t offset = address - u->block_start;

	if (offset >= u->block.len || n > u->block.len - offset) {
		u->block_start = address;
		offset = 0;
		buf_reserve(&u->block, size);
		u->block.len = live_process_read(
		    u->copy->tid, address, u->block.p,
		    m->end - address < size ? (size_t)(m->end - address) :
					      size);
	}
	if (n > u->block.len)
		return false;
	memcpy(to, u->block.p + offset, n);
	return true;
}

/*
 * Files come first.  Code of deleted files and of JITs is read from the
 * process; it does not change when the thread goes on.
 */
static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	struct unwind_copy *u = arg;
	const struct proc_map *m;

	if (u->files.read(u->files.arg, address, to, n))
		return true;
	m = live_process_find_map(u->copy->process, address);
	if (m == NULL ||
	    (!proctext_is_code(m) && !is_unchanged(u->copy, address)))
		return false;
	u->read_live |= !proctext_is_code(m);
	u->read_code |= proctext_is_code(m);
	if (!proctext_is_code(m) && !u->copy->waiting)
		return read_lasting(u, m, address, to, n);
	return live_process_read(u->copy->tid, address, to, n) == n;
}

void
unwind_copy_prepare(struct unwind_copy *u, const struct live_process *p)
{
	const struct proc_map *m;
	struct unwind_map found;
	size_t i;

	resolve_at(u->resolver, p->pid, clock_ns(CLOCK_MONOTONIC));
	process_image_unwind(resolve_image(u->resolver), &u->files);
	for (i = 0; i < p->maps.n; i++) {
		m = &p->maps.map[i];
		if (proctext_is_code(m))
			u->files.map(u->files.arg, m->start, &found);
	}
}

/* Unwind up to the code of a JIT; then the outer frames are the thread's. */
static void
unwind_jit(struct unwind_copy *u, struct unwind_thread *thread,
	   struct stack_frames *f, size_t max)
{
	const uint64_t others = UINT64_C(1) << 63;
	const struct stack_copy *copy = u->copy;
	const struct unwind_frame *last;
	enum unwind_end end;

	u->in_jit = true;
	thread->space |= others;
	f->n = unwind_stack(u->unwind, thread, f->frame, max, &end);
	thread->space &= ~others;
	u->in_jit = false;
	last = &f->frame[f->n - 1];
	if (end == UNWIND_COMPLETE &&
	    is_jit(copy, last->pc - (last->exact ? 0 : 1)))
		f->n--;
	thread->registers.known = 0;
	arch_set(&thread->registers, copy->arch->pc, copy->jit.pc);
	arch_set(&thread->registers, copy->arch->sp, copy->jit.sp);
}

/*
 * Whether a copy has the frames that an earlier one had.  A thread that has run
 * since mostly waits in the same place again.
 */
static bool
is_same(const struct stack_origin *o, const struct unwind_thread *thread)
{
	const struct arch_registers *r = &o->registers;

	return o->is_reusable && o->space == thread->space &&
	       o->size == thread->stack.len &&
	       r->known == thread->registers.known &&
	       memcmp(r->value, thread->registers.value, sizeof(r->value)) ==
		   0 &&
	       unwind_reads_hold(&o->reads, thread->stack);
}

/* Find the frames, and keep what they were found by. */
static void
find_frames(struct unwind_copy *u, struct unwind_thread *thread,
	    struct stack_frames *f)
{
	const struct stack_copy *copy = u->copy;
	/* A frame needs at least a word of stack; some may lie elsewhere. */
	const size_t max = copy->bytes.len / copy->arch->word + 256;
	struct stack_origin *o = &f->origin;
	enum unwind_end end;
	size_t i;

	o->registers = thread->registers;
	o->space = thread->space;
	o->size = copy->bytes.len;
	o->reads.n = 0;
	o->reads.partial = false;
	thread->reads = &o->reads;
	f->frame = mem_grow(f->frame, &f->cap, max, sizeof(*f->frame));
	f->n = 0;
	if (copy->jit.sp != 0)
		unwind_jit(u, thread, f, max / 2);
	f->n += unwind_stack(u->unwind, thread, f->frame + f->n, max - f->n,
			     &end);
	f->guessed = false;
	for (i = 0; i < f->n; i++)
		f->guessed |= f->frame[i].guessed;
	f->truncated = end != UNWIND_COMPLETE;
	f->lost = end == UNWIND_LOST;
	o->n = f->n;
	o->is_reusable = end == UNWIND_COMPLETE && !f->guessed &&
			 !copy->find_frame && copy->jit.sp == 0 &&
			 !u->read_live && !u->read_code;
}

void
unwind_copy_unwind(struct unwind_copy *u, const struct stack_copy *copy,
		   struct stack_frames *f)
{
	const struct interp_reader reader = { .tid = copy->tid,
					      .pid = copy->process->pid };
	const bool has_steps = interp_has_steps(copy->interp);
	struct unwind_thread thread;

	resolve_at(u->resolver, copy->process->pid, clock_ns(CLOCK_MONOTONIC));
	process_image_unwind(resolve_image(u->resolver), &u->files);
	u->copy = copy;
	u->steps = &f->steps;
	u->read_live = u->read_code = false;
	u->block.len = 0;
	thread = u->files;
	thread.arch = copy->arch;
	thread.registers = copy->registers;
	thread.stack = copy->bytes;
	thread.stack_start = copy->sp;
	thread.find_frame = copy->find_frame;
	thread.map = map;
	thread.read = read_memory;
	thread.step_vm = has_steps ? step_vm : NULL;
	thread.arg = u;
	f->moving = f->read_live = false;
	f->is_same = is_same(&f->origin, &thread);
	if (has_steps && !interp_begin_steps(copy->interp, &reader, u->steps))
		f->is_same = false;
	if (!f->is_same) {
		interp_stack_clear(&f->steps.stack);
		find_frames(u, &thread, f);
		f->read_live = u->read_live;
	}
	if (has_steps && !f->is_same)
		interp_end_steps(copy->interp, u->steps);
}

void
unwind_copy_check_text(struct stack_frames *f, uint64_t space)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
	const struct interp_entry *e;
	uint64_t h = hash_seed() + space;
	size_t i;

	for (i = 0; i < f->n; i++)
		h = rotate(h ^ (f->frame[i].pc << 1 | f->frame[i].exact)) * odd;
	for (i = 0; i < f->vm.n; i++) {
		e = &f->vm.entry[i];
		h = rotate(h ^ ((uint64_t)e->function << 32 | e->line)) * odd;
		h = rotate(h ^ ((uint64_t)e->at << 1 | e->replaces)) * odd;
		if (e->has_code)
			h = rotate(h ^ e->code) * odd;
	}
	h ^= (uint64_t)f->guessed << 1;
	h |= 1; /* 0 is for writers */
	if (h != f->text_key)
		f->text.len = 0;
	f->text_key = h;
}

void
unwind_copy_release(struct stack_frames *f)
{
	free(f->frame);
	interp_merge_free(&f->vm);
	interp_free_steps(&f->steps);
	unwind_reads_free(&f->origin.reads);
	buf_free(&f->text);
}

bool
unwind_copy_begins(struct unwind_copy *u, const struct live_process *p,
		   uint64_t function, const struct unwind_frame *f)
{
	uint64_t start, end;

	resolve_at(u->resolver, p->pid, clock_ns(CLOCK_MONOTONIC));
	process_image_unwind(resolve_image(u->resolver), &u->files);
	u->files.arch = p->arch;
	return unwind_function(&u->files, f->pc - !f->exact, &start, &end) &&
	       start == function;
}
