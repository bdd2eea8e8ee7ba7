/* stackof.c - the frames of a thread whose stack was copied. */
#include "stackof.h"

#include "hold.h"
#include "mem.h"
#include "tasks.h"

#include <stdlib.h>

struct stackof {
	struct resolver *resolver;
	struct unwind *unwind;

	/* The one being unwound. */
	const struct stack_copy *copy;
	struct unwind_thread files; /* asks the resolver */
	bool used_live;
};

struct stackof *
stackof_new(struct resolver *r)
{
	struct stackof *s = mem_zero(1, sizeof(*s));

	s->resolver = r;
	s->unwind = unwind_new(registers_machine());
	return s;
}

void
stackof_free(struct stackof *s)
{
	unwind_free(s->unwind);
	free(s);
}

static bool
map(void *arg, uint64_t address, struct unwind_map *m)
{
	struct stackof *s = arg;

	return s->files.map(s->files.arg, address, m);
}

/*
 * Code stays as it is, and may be read even though the thread has gone on:
 * of deleted files, and of JITs.
 */
static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	struct stackof *s = arg;
	const struct proc_map *m;

	if (s->files.read(s->files.arg, address, to, n))
		return true;
	m = target_map(s->copy->target, address);
	if (m == NULL || (!proctext_is_code(m) && !s->copy->live))
		return false;
	s->used_live |= !proctext_is_code(m);
	return hold_read(s->copy->tid, address, to, n) == n;
}

void
stackof_prepare(struct stackof *s, const struct target *target)
{
	const struct proc_map *m;
	struct unwind_map found;
	size_t i;

	resolver_at(s->resolver, target->pid, tasks_now());
	resolver_unwind(s->resolver, &s->files);
	for (i = 0; i < target->maps.n; i++) {
		m = &target->maps.map[i];
		if (proctext_is_code(m))
			s->files.map(s->files.arg, m->start, &found);
	}
}

void
stackof_unwind(struct stackof *s, const struct stack_copy *copy,
	       struct stack_frames *f)
{
	struct unwind_thread thread;
	/* Each frame takes the room of an address at least, but elsewhere. */
	size_t max = copy->bytes.len / sizeof(uint64_t) + 256;
	enum unwind_end end;

	resolver_at(s->resolver, copy->target->pid, tasks_now());
	resolver_unwind(s->resolver, &s->files);
	s->copy = copy;
	s->used_live = false;
	thread = s->files;
	thread.registers = copy->registers;
	thread.stack = copy->bytes;
	thread.stack_start = copy->sp;
	thread.find_frame = copy->find_frame;
	thread.map = map;
	thread.read = read_memory;
	thread.arg = s;
	f->frame = mem_grow(f->frame, &f->cap, max, sizeof(*f->frame));
	f->n = unwind_stack(s->unwind, &thread, f->frame, max, &end);
	f->truncated = end != UNWIND_COMPLETE;
	f->lost = end == UNWIND_LOST;
	f->moving = false;
	f->used_live = s->used_live;
	f->note.len = 0;
}

void
stackof_release(struct stack_frames *f)
{
	free(f->frame);
	buf_free(&f->note);
}
