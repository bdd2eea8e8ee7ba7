/* ruby_walk.c - the frames of a thread of Ruby. */
#include "interp/ruby_walk.h"

#include "base/peek.h"

/* Flags of an environment, vm_core.h. */
enum {
	ENV_LOCAL = 0x2,
	FRAME_FINISH = 0x20,
	FRAME_MAGIC = 0x7fff0001,
	FRAME_CFUNC = 0x55550001,
	FRAME_DUMMY = 0x79990001
};

/* The VM's stack is copied in parts of this size. */
enum { PART = 8192 };

/* Environments of blocks, one in the other, that are searched for a method. */
enum { MAX_BLOCKS = 64 };

/* Calls for environments outside of the stack that one sample may need. */
enum { MAX_READS = 512 };

/* Threads that wait for the lock. */
enum { MAX_WAITING = 256 };

/* Where a rb_thread_t has its ractor, or in 2.7 its vm. */
enum { RACTOR = 24 };

/* No thread has a larger stack: RUBY_THREAD_VM_STACK_SIZE. */
#define MAX_STACK (UINT64_C(1) << 30)

struct ruby_walker {
	const struct ruby_layout *l;
	struct interp_copy *copy;
	struct interp_stack *s;
	uint64_t start, end; /* of the VM's stack */
};

/* Copy n bytes of the VM's stack, or of an environment that has left it. */
static bool
get(struct ruby_walker *w, uint64_t address, void *to, size_t n)
{
	uint64_t part, size = w->end - w->start;
	char unused;

	if (address % 8 != 0)
		return false;
	if (address - w->start < size) {
		part = address - (address - w->start) % PART;
		size = w->end - part < PART ? w->end - part : PART;
		interp_copy_get(w->copy, part, &unused, 1, size);
	}
	return interp_copy_get(w->copy, address, to, n, n);
}

struct environment {
	uint64_t method, outer, flags;
};

static bool
get_environment(struct ruby_walker *w, uint64_t ep, struct environment *e)
{
	char bytes[24];

	if (!get(w, ep - 16, bytes, sizeof(bytes)))
		return false;
	e->method = peek_u64(bytes, 0);
	e->outer = peek_u64(bytes, 8) & ~UINT64_C(3);
	e->flags = peek_u64(bytes, 16);
	return true;
}

/*
 * What the outermost environment of a block has as its method, as
 * rb_vm_frame_method_entry() does; 0 if it cannot be found.
 */
static uint64_t
find_method(struct ruby_walker *w, struct environment e)
{
	int i;

	for (i = 0; i < MAX_BLOCKS && !(e.flags & ENV_LOCAL); i++) {
		if (!get_environment(w, e.outer, &e))
			return 0;
	}
	return e.flags & ENV_LOCAL ? e.method : 0;
}

static bool
add(struct ruby_walker *w, uint64_t code, int64_t pc, uint64_t context)
{
	if (!interp_stack_add(w->s, code, pc))
		return false;
	w->s->frame[w->s->n - 1].context = context;
	return true;
}

/*
 * Add a frame; false if that failed.  The VM's loop calls itself for a frame
 * that has FRAME_FINISH.
 */
static bool
add_frame(struct ruby_walker *w, uint64_t address)
{
	enum { PC = 0, ISEQ = 16, EP = 32, SIZE = 64 };
	struct environment e;
	char bytes[SIZE];
	uint64_t pc, iseq;

	if (!get(w, address, bytes, w->l->frame_size) ||
	    !get_environment(w, peek_u64(bytes, EP), &e))
		return false;
	pc = peek_u64(bytes, PC);
	iseq = peek_u64(bytes, ISEQ);
	if ((e.flags & FRAME_MAGIC) == FRAME_CFUNC)
		return add(w, e.method, RUBY_WALK_C, e.method);
	/* A block in C, or the bottom of the stack: the top-level binding. */
	if (iseq == 0 || pc == 0 || (e.flags & FRAME_MAGIC) == FRAME_DUMMY)
		return true;
	if (!add(w, iseq, (int64_t)pc, find_method(w, e)))
		return false;
	if (e.flags & FRAME_FINISH)
		interp_stack_end_segment(w->s, 0);
	return true;
}

static bool
walk_frames(struct ruby_walker *w, uint64_t frame)
{
	const uint64_t size = w->l->frame_size;

	if (frame < w->start || frame > w->end || (w->end - frame) % size != 0)
		return false;
	for (; frame < w->end; frame += size) {
		if (!add_frame(w, frame))
			return false;
	}
	return true;
}

/* The rb_thread_t that has the lock of a ractor; 0 if none has it. */
static uint64_t
find_owner(const struct ruby_layout *l, struct interp_copy *memory,
	   uint64_t ractor)
{
	uint64_t owner;

	return interp_copy_get(memory, ractor + l->ractor.owner, &owner,
			       sizeof(owner), sizeof(owner)) ?
		   owner :
		   0;
}

uint64_t
ruby_walk_lock_owner(const struct ruby_layout *l, struct interp_copy *memory,
		     const struct interp_listed *thread)
{
	uint64_t ractor;

	return interp_copy_get(memory, thread->block + RACTOR, &ractor,
			       sizeof(ractor), sizeof(ractor)) ?
		   find_owner(l, memory, ractor) :
		   0;
}

/*
 * Who has the lock of the ractor, and who waits for it: a list of threads,
 * which is searched only if the thread waits for a futex at all.
 */
static enum interp_lock
find_lock(const struct ruby_layout *l, struct interp_copy *copy,
	  uint64_t thread, uint64_t ractor)
{
	const uint64_t head = ractor + l->ractor.waiting;
	uint64_t node = head;
	int i;

	if (find_owner(l, copy, ractor) == thread)
		return INTERP_LOCK_HELD;
	for (i = 0; copy->moment.futex != 0 && i < MAX_WAITING; i++) {
		if (!interp_copy_get(copy, node, &node, sizeof(node),
				     sizeof(node)) ||
		    node == head)
			break;
		if (node == thread + l->thread.waiting)
			return INTERP_LOCK_WAITS;
	}
	return INTERP_LOCK_NONE;
}

/* Whether a rb_thread_t still is that of a thread. */
static bool
is_same(const struct ruby_layout *l, struct interp_copy *copy,
	const struct interp_listed *thread, const char *bytes)
{
	uint64_t block = thread->block;
	uint32_t tid;

	if (l->thread.pthread != RUBY_NONE)
		return peek_u64(bytes, l->thread.pthread) == thread->id;
	if (l->thread.native != RUBY_NONE) {
		block = peek_u64(bytes, l->thread.native);
		if (block != thread->id)
			return false;
	}
	return interp_copy_get(copy, block + l->thread.tid, &tid, sizeof(tid),
			       sizeof(tid)) &&
	       tid == thread->inner_tid;
}

bool
ruby_walk(const struct ruby_layout *l, struct interp_copy *copy,
	  const struct interp_listed *thread, struct interp_stack *s)
{
	enum { STACK = 0, STACK_SIZE = 8, FRAME = 16, EC_BYTES = 64 };
	struct ruby_walker w = { .l = l, .copy = copy, .s = s };
	char bytes[RUBY_WALK_THREAD], context[EC_BYTES];
	uint64_t words;

	if (!interp_copy_get(copy, thread->block, bytes, sizeof(bytes),
			     sizeof(bytes)) ||
	    !is_same(l, copy, thread, bytes) ||
	    !interp_copy_get(copy, peek_u64(bytes, l->thread.ec), context,
			     sizeof(context), sizeof(context)) ||
	    peek_u64(context, l->ec_thread) != thread->block)
		return false;
	copy->max_reads = MAX_READS;
	w.start = peek_u64(context, STACK);
	words = peek_u64(context, STACK_SIZE);
	w.end = w.start + words * 8;
	s->lock = find_lock(l, copy, thread->block, peek_u64(bytes, RACTOR));
	/* A thread has its VM's stack on its C stack, beyond the part copied.
	 */
	s->lasting = w.end;
	/* A frame is made before its loop begins. */
	s->may_be_early = true;
	s->complete = words > 0 && words <= MAX_STACK / 8 && w.end > w.start &&
		      walk_frames(&w, peek_u64(context, FRAME));
	return true;
}
