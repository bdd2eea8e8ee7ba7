/* unwind_copy.c - unwinding a copied stack of a running process. */
#include "sampler/unwind_copy.h"

#include "base/mem.h"
#include "os/clock.h"

#include <stdlib.h>

struct unwind_copy {
	struct resolver *resolver;
	struct unwind *unwind;

	/* During unwind_copy_unwind(). */
	const struct stack_copy *copy;
	struct unwind_thread files; /* reads mapped files, by the resolver */
	bool read_live;
	struct buf block; /* of the process, from block_start on */
	uint64_t block_start;
};

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
	return true;
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

void
unwind_copy_unwind(struct unwind_copy *u, const struct stack_copy *copy,
		   struct stack_frames *f)
{
	struct unwind_thread thread;
	/* A frame needs at least a word of stack; some may lie elsewhere. */
	size_t max = copy->bytes.len / copy->arch->word + 256;
	enum unwind_end end;

	resolve_at(u->resolver, copy->process->pid, clock_ns(CLOCK_MONOTONIC));
	process_image_unwind(resolve_image(u->resolver), &u->files);
	u->copy = copy;
	u->read_live = false;
	u->block.len = 0;
	thread = u->files;
	thread.arch = copy->arch;
	thread.registers = copy->registers;
	thread.stack = copy->bytes;
	thread.stack_start = copy->sp;
	thread.find_frame = copy->find_frame;
	thread.map = map;
	thread.read = read_memory;
	thread.arg = u;
	f->frame = mem_grow(f->frame, &f->cap, max, sizeof(*f->frame));
	f->n = unwind_stack(u->unwind, &thread, f->frame, max, &end);
	f->truncated = end != UNWIND_COMPLETE;
	f->lost = end == UNWIND_LOST;
	f->moving = false;
	f->read_live = u->read_live;
	f->text.len = 0;
}

void
unwind_copy_release(struct stack_frames *f)
{
	free(f->frame);
	interp_merge_free(&f->vm);
	buf_free(&f->text);
}
