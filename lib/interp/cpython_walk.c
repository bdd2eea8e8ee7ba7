/* cpython_walk.c - the frames of a thread of CPython. */
#include "interp/cpython_walk.h"

#include "base/peek.h"

/*
 * Frames are in chunks, a list, mostly of this size.  A generator has its frame
 * in an object of its own.
 */
enum { CHUNK = 16384, CHUNKS = 256 };

/* Fields of a chunk, _PyStackChunk; they have never moved. */
enum { CHUNK_PREVIOUS = 0, CHUNK_SIZE = 8, CHUNK_HEAD = 24 };

/* The largest frame.size and thread.size. */
enum { FRAME_BYTES = 1040, THREAD_BYTES = 1040 };

/* struct _gil_runtime_state; its fields have not moved since 3.7. */
enum { GIL_HOLDER = 8, GIL_LOCKED = 16, GIL_COND = 32, GIL_SIZE = 208 };

struct walk {
	const struct cpython_layout *l;
	struct interp_copy *copy;
	struct interp_stack *s;
	uint64_t chunk; /* the next one to copy, or 0 */
	int chunks;
};

struct vm_frame {
	uint64_t previous, code;
	int64_t ip;
	uint8_t owner;
};

/* Copy chunks until one has the frame; it may be in none. */
static void
copy_chunks(struct walk *w, uint64_t frame)
{
	char head[CHUNK_HEAD];
	uint64_t size, chunk;

	while (w->chunk != 0 && w->chunks < CHUNKS &&
	       !interp_copy_has(w->copy, frame, w->l->frame.size)) {
		chunk = w->chunk;
		w->chunks++;
		if (!interp_copy_get(w->copy, chunk, head, sizeof(head),
				     CHUNK)) {
			w->chunk = 0;
			return;
		}
		w->chunk = peek_u64(head, CHUNK_PREVIOUS);
		size = peek_u64(head, CHUNK_SIZE);
		if (frame - chunk < size)
			return;
	}
}

static bool
read_frame(struct walk *w, uint64_t address, struct vm_frame *f)
{
	const struct cpython_layout *l = w->l;
	char bytes[FRAME_BYTES];
	int32_t lasti;

	if (l->frames != CPYTHON_OBJECTS)
		copy_chunks(w, address);
	if (address % 8 != 0 ||
	    !interp_copy_get_near(w->copy, address, bytes, l->frame.size))
		return false;
	f->previous = peek_u64(bytes, l->frame.previous);
	/* From 3.14 on, a tagged reference. */
	f->code = peek_u64(bytes, l->frame.code) & ~CPYTHON_TAG_BITS;
	f->owner = 0;
	if (l->frame.owner != CPYTHON_NONE)
		f->owner = (uint8_t)bytes[l->frame.owner];
	if (l->frames == CPYTHON_OBJECTS) {
		memcpy(&lasti, bytes + l->frame.ip, sizeof(lasti));
		f->ip = lasti;
	} else {
		f->ip = (int64_t)peek_u64(bytes, l->frame.ip);
	}
	return true;
}

/* Each loop executes one frame, and calls itself for the next one. */
static bool
walk_objects(struct walk *w, uint64_t frame)
{
	struct vm_frame f;

	for (; frame != 0; frame = f.previous) {
		if (!read_frame(w, frame, &f) ||
		    !interp_stack_add(w->s, f.code, f.ip))
			return false;
		interp_stack_end_segment(w->s, 0);
	}
	return true;
}

/* Each loop has a frame of its own, without a function, in its C frame. */
static bool
walk_shims(struct walk *w, uint64_t frame)
{
	struct vm_frame f;
	size_t shims = 0;

	for (; frame != 0; frame = f.previous) {
		if (!read_frame(w, frame, &f))
			return false;
		if (f.owner != w->l->shim_owner) {
			if (!interp_stack_add(w->s, f.code, f.ip))
				return false;
			continue;
		}
		if (shims++ == INTERP_STACK_DEPTH)
			return false;
		interp_stack_end_segment(w->s, frame);
	}
	return w->s->segments > 0 &&
	       w->s->segment[w->s->segments - 1].end == w->s->n;
}

struct cframe {
	uint64_t current, previous;
};

static bool
read_cframe(struct walk *w, uint64_t address, struct cframe *c)
{
	const struct cpython_layout *l = w->l;
	char bytes[24];

	if (!interp_copy_get(w->copy, address, bytes, sizeof(bytes),
			     sizeof(bytes)))
		return false;
	c->current = peek_u64(bytes, l->cframe.current);
	c->previous = peek_u64(bytes, l->cframe.previous);
	return true;
}

/* Add the frames from one on, up to the first one of the caller's loop. */
static bool
walk_loop(struct walk *w, uint64_t frame, uint64_t end)
{
	const size_t begin = w->s->n;
	struct vm_frame f;
	size_t shims = 0;

	for (; frame != end; frame = f.previous) {
		if (frame == 0 || !read_frame(w, frame, &f))
			break;
		if (f.owner == w->l->shim_owner ?
			shims++ > 0 :
			!interp_stack_add(w->s, f.code, f.ip))
			break;
	}
	if (frame != end)
		w->s->n = begin;
	return frame == end;
}

/*
 * Each loop has a _PyCFrame in its C frame, with the frame that it executes.
 * At its start a loop links its _PyCFrame before it sets this field, which so
 * has whatever was in this place of the stack before: then its frames do not
 * lead to those of the loop before it.
 */
static bool
walk_cframes(struct walk *w, uint64_t address)
{
	struct cframe c, previous;
	size_t loops;

	if (!read_cframe(w, address, &c))
		return false;
	for (loops = 0; c.previous != 0; loops++) {
		if (loops == INTERP_STACK_DEPTH ||
		    !read_cframe(w, c.previous, &previous) ||
		    (!walk_loop(w, c.current, previous.current) && loops > 0))
			return false;
		interp_stack_end_segment(w->s, address);
		address = c.previous;
		c = previous;
	}
	/* The first one belongs to no loop. */
	return c.current == 0;
}

/* Whether a thread waits for the GIL, up to 3.6. */
static bool
waits_for_old_lock(const struct cpython_layout *l, uint64_t futex)
{
	/* Bytes of a pthread_cond_t; a pthread_mutex_t and a sem_t have fewer.
	 */
	const uint64_t size = 48;
	size_t i;

	for (i = 0; i < CPYTHON_WAITS; i++) {
		if (l->waits[i] != 0 && futex >= l->waits[i] &&
		    futex < l->waits[i] + size)
			return true;
	}
	return false;
}

uint64_t
cpython_walk_lock_owner(const struct cpython_layout *l,
			struct interp_copy *memory,
			const struct interp_listed *thread)
{
	char gil[GIL_LOCKED + 8];
	uint32_t locked;

	if (thread->lock == 0)
		return 0;
	if (l->gil == CPYTHON_NONE)
		return interp_copy_get(memory, thread->lock, gil, 8, 8) ?
			   peek_u64(gil, 0) :
			   0;
	if (!interp_copy_get(memory, thread->lock, gil, sizeof(gil),
			     sizeof(gil)))
		return 0;
	memcpy(&locked, gil + GIL_LOCKED, sizeof(locked));
	return locked == 1 ? peek_u64(gil, GIL_HOLDER) : 0;
}

/*
 * Whether a futex is the condition or the mutex of the GIL.  Who has let go of
 * it by request waits there, too, until another thread has it.
 */
static bool
waits_for_lock(const struct cpython_layout *l,
	       const struct interp_listed *thread, uint64_t futex)
{
	if (l->gil == CPYTHON_NONE)
		return waits_for_old_lock(l, futex);
	return futex >= thread->lock + GIL_COND &&
	       futex < thread->lock + GIL_SIZE;
}

static enum interp_lock
find_lock(const struct cpython_layout *l, struct interp_copy *copy,
	  const struct interp_listed *thread)
{
	if (thread->lock == 0)
		return INTERP_LOCK_NONE;
	if (waits_for_lock(l, thread, copy->moment.futex))
		return INTERP_LOCK_WAITS;
	return cpython_walk_lock_owner(l, copy, thread) == thread->block ?
		   INTERP_LOCK_HELD :
		   INTERP_LOCK_NONE;
}

bool
cpython_walk(const struct cpython_layout *l, struct interp_copy *copy,
	     const struct interp_listed *thread, struct interp_stack *s)
{
	struct walk w = { .l = l, .copy = copy, .s = s };
	char block[THREAD_BYTES];
	uint64_t frame;

	if (!interp_copy_get(copy, thread->block, block, l->thread.size,
			     l->thread.size) ||
	    peek_u64(block, l->thread.id) != thread->id ||
	    (l->thread.native_id != CPYTHON_NONE &&
	     peek_u64(block, l->thread.native_id) !=
		 (uint64_t)thread->block_tid))
		return false;
	frame = peek_u64(block, l->thread.frame);
	s->lock = find_lock(l, copy, thread);
	switch (l->frames) {
	case CPYTHON_OBJECTS:
		s->complete = walk_objects(&w, frame);
		break;
	case CPYTHON_CFRAMES:
		w.chunk = peek_u64(block, l->thread.chunk);
		s->complete = walk_cframes(&w, frame);
		break;
	default:
		w.chunk = peek_u64(block, l->thread.chunk);
		s->complete = walk_shims(&w, frame);
		break;
	}
	return true;
}
