/* v8_walk.c - the frames of JavaScript on the stack of a thread. */
#include "interp/v8_walk.h"

#include "base/peek.h"
#include "base/table.h"
#include "interp/v8_string.h"

/* Limits for one sample: frames of any kind, calls, size of the C stack. */
enum { MAX_STEPS = 16384, MAX_READS = 2048, MAX_STACK = 1 << 24 };

/* A new function is read only if this many calls are left. */
enum { NEW_READS = 64 };

/* Return addresses in optimised code whose functions are kept. */
enum { MAX_INLININGS = 1 << 16 };

/*
 * Words of a frame, from two below the frame pointer on;
 * src/execution/frame-constants.h.  The marker is a context, or the type of the
 * frame, doubled.
 */
enum {
	FRAME_BELOW = 16,
	FRAME_FUNCTION = 0,
	FRAME_MARKER = 8,
	FRAME_CALLER = 16,
	FRAME_RETURN = 24,
	FRAME_BYTES = 32,
	/* Below an entry frame is the frame pointer of the exit before it. */
	ENTRY_EXIT = 64
};

/* Below the function of an interpreted frame: argc, bytecodes and the place. */
enum { FRAME_BYTECODES = 32, FRAME_OFFSET = 40 };

/* Types of frames, as in the marker. */
enum { ENTRY = 1, CONSTRUCT_ENTRY = 2 };

/* SharedFunctionInfo, as much as is read. */
enum { SHARED_BYTES = 64 };

struct inlining_key {
	int64_t tid;
	uint64_t isolate, pc, start;
	int32_t optimization;
	uint32_t size;
};

struct inlined_function {
	uint64_t code;    /* a number, as in struct interp_vm_frame */
	int64_t position; /* in the script; -1 if it is unknown */
};

/* The functions at a return address in optimised code, outermost first. */
struct v8_inlining {
	struct inlining_key key;
	struct inlined_function *function;
	size_t n;
	UT_hash_handle hh;
};

struct js_walk {
	struct v8_walker *w;
	struct interp_copy *copy;
	uint64_t isolate, entry_frame;
};

static uint64_t
read_word(struct interp_copy *copy, uint64_t address)
{
	uint64_t n;

	return interp_copy_get(copy, address, &n, sizeof(n), sizeof(n)) ? n : 0;
}

static void
add_frame(struct js_walk *k, uint64_t fp, uint64_t pc, uint64_t function)
{
	struct v8_frames *f = &k->w->frames;
	const struct v8_frame frame = { .fp = fp,
					.pc = pc,
					.exact = pc != 0 && f->n == 0,
					.function = function };

	f->frame = mem_grow(f->frame, &f->cap, f->n + 1, sizeof(*f->frame));
	f->frame[f->n++] = frame;
}

/* What an entry frame says; the next frame pointer, or 0 at the end. */
static uint64_t
pass_entry(struct js_walk *k, uint64_t fp, uint64_t pc)
{
	struct v8_frames *f = &k->w->frames;
	const uint64_t page = 4096;

	if (pc != 0 && k->w->builtins->entry_return != 0 &&
	    (pc - k->w->builtins->entry_return) % page == 0)
		f->delta = pc - k->w->builtins->entry_return;
	return fp == k->entry_frame ? 0 : read_word(k->copy, fp - ENTRY_EXIT);
}

/*
 * Find the frames from a frame pointer on; pc is where that frame is.  False if
 * they do not lead to the entry.
 */
static bool
find_frames(struct js_walk *k, uint64_t fp, uint64_t pc)
{
	const uint64_t sp = k->copy->moment.sp;
	char bytes[FRAME_BYTES];
	uint64_t marker, caller, least = sp;
	size_t steps, missing;

	for (steps = 0; steps < MAX_STEPS; steps++) {
		if (fp % 8 != 0 || fp < least || fp - sp > MAX_STACK)
			return false;
		/* A function that begins has not pushed all words. */
		missing = fp - sp < 16 ? 16 - (size_t)(fp - sp) : 0;
		memset(bytes, 0, sizeof(bytes));
		if (!interp_copy_get(k->copy, fp - FRAME_BELOW + missing,
				     bytes + missing, FRAME_BYTES - missing,
				     FRAME_BYTES - missing))
			return false;
		marker = peek_u64(bytes, FRAME_MARKER);
		caller = peek_u64(bytes, FRAME_CALLER);
		if (marker == ENTRY << 1 || marker == CONSTRUCT_ENTRY << 1) {
			caller = pass_entry(k, fp, pc);
			if (fp == k->entry_frame)
				return true;
			pc = 0;
		} else {
			add_frame(k, fp, pc,
				  v8_is_object(marker) ?
				      peek_u64(bytes, FRAME_FUNCTION) :
				      0);
			pc = peek_u64(bytes, FRAME_RETURN);
		}
		least = fp + 16;
		fp = caller;
	}
	return false;
}

/* Addresses of functions, one call for all that the copy lacks. */
static void
prefetch(struct js_walk *k, size_t offset, bool shared, size_t block)
{
	const struct v8_frames *f = &k->w->frames;
	uint64_t address[INTERP_COPY_PREFETCH], object;
	size_t i, n = 0;

	for (i = 0; i < f->n; i++) {
		object = shared ? f->frame[i].shared : f->frame[i].function;
		if (!v8_is_object(object))
			continue;
		/* Recursion. */
		if (n > 0 && address[n - 1] == object - 1 + offset)
			continue;
		if (n == INTERP_COPY_PREFETCH) {
			interp_copy_prefetch(k->copy, address, n, block);
			n = 0;
		}
		address[n++] = object - 1 + offset;
	}
	interp_copy_prefetch(k->copy, address, n, block);
}

static void
find_shared(struct js_walk *k)
{
	const uint32_t offset = k->w->l->function.shared;
	struct v8_frames *f = &k->w->frames;
	size_t i;

	prefetch(k, offset, false, sizeof(uint64_t));
	for (i = 0; i < f->n; i++) {
		if (v8_is_object(f->frame[i].function))
			f->frame[i].shared = read_word(
			    k->copy, f->frame[i].function - 1 + offset);
	}
	prefetch(k, 0, true, k->w->l->shared.size);
}

/* Whether the object is what it should be, by its map. */
static bool
has_map(struct js_walk *k, uint64_t object, uint64_t map)
{
	if (k->w->shared_map != 0)
		return map == k->w->shared_map;
	if (v8_string_type(k->copy, object) != k->w->l->shared.type)
		return false;
	/* It is in memory that never moves, which all isolates share. */
	k->w->shared_map = map;
	return true;
}

/* Whether another function, or what is inlined, can be read to its end. */
static bool
may_read(const struct js_walk *k)
{
	return k->copy->reads + NEW_READS <= k->copy->max_reads;
}

/* The number of the function of a frame, or V8_FUNCTIONS_NONE. */
static uint64_t
find_function(struct js_walk *k, uint64_t object)
{
	const struct v8_layout *l = k->w->l;
	char bytes[SHARED_BYTES];
	struct v8_shared shared;
	struct v8_key key = { .tid = k->copy->reader.tid,
			      .isolate = k->isolate };
	uint64_t found;

	if (!v8_is_object(object) ||
	    !interp_copy_get(k->copy, object - 1, bytes, l->shared.size,
			     l->shared.size) ||
	    !has_map(k, object, peek_u64(bytes, 0)))
		return V8_FUNCTIONS_NONE;
	shared.name = peek_u64(bytes, l->shared.name);
	shared.script = peek_u64(bytes, l->shared.script);
	memcpy(&key.literal, bytes + l->shared.literal, sizeof(key.literal));
	/* Builtin functions have no script. */
	if (key.literal < 0 || !v8_is_object(shared.script))
		return V8_FUNCTIONS_NONE;
	key.script = v8_small(
	    read_word(k->copy, shared.script - 1 + V8_SCRIPT_ID));
	found = v8_functions_find(k->w->functions, &key);
	return found != V8_FUNCTIONS_NONE || !may_read(k) ?
		   found :
		   v8_functions_add(k->w->functions, &key, &shared, k->copy);
}

/* The builtin function at a pc, in the file or in the copy; NULL if none is. */
static const struct v8_builtin *
find_builtin(const struct v8_walker *w, uint64_t pc)
{
	const struct v8_builtins *b = w->builtins;
	size_t low = 0, high = b->n, mid;

	pc -= w->frames.delta;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (pc < b->builtin[mid].start)
			high = mid;
		else if (pc >= b->builtin[mid].end)
			low = mid + 1;
		else
			return &b->builtin[mid];
	}
	return NULL;
}

static void
clear_inlinings(struct v8_walker *w)
{
	struct v8_inlining *i, *next;

	HASH_ITER(hh, w->inlinings, i, next)
	{
		HASH_DEL(w->inlinings, i);
		free(i->function);
		free(i);
	}
}

/* The bytecodes of a function; compiled code points to them. */
static uint64_t
find_bytecodes(struct js_walk *k, uint64_t shared)
{
	const struct v8_layout *l = k->w->l;
	const uint64_t data = read_word(k->copy, shared - 1 + l->shared.data);

	if (!v8_is_object(data) ||
	    v8_positions_is_bytecodes(&k->w->positions, l, k->copy, data))
		return data;
	return read_word(k->copy, data - 1 + l->code.deoptimization);
}

/* The position in the script of a place in bytecodes; -1 if it is unknown. */
static int64_t
find_position(struct js_walk *k, uint64_t code, uint64_t bytecodes,
	      int64_t offset)
{
	return v8_positions_find(&k->w->positions, k->w->l, k->copy,
				 v8_functions_positions(k->w->functions, code),
				 bytecodes, offset);
}

/* The same of an interpreted frame. */
static int64_t
find_interpreted(struct js_walk *k, const struct v8_frame *f, uint64_t code)
{
	const struct v8_layout *l = k->w->l;
	uint64_t bytecodes, place;

	if (f->fp - k->copy->moment.sp < FRAME_OFFSET)
		return -1;
	bytecodes = read_word(k->copy, f->fp - FRAME_BYTECODES);
	place = read_word(k->copy, f->fp - FRAME_OFFSET);
	/* From the tagged address; other code has other objects there. */
	if ((uint32_t)place != 0 ||
	    !v8_positions_is_bytecodes(&k->w->positions, l, k->copy, bytecodes))
		return -1;
	return find_position(k, code, bytecodes,
			     v8_small(place) + 1 - (int64_t)l->bytecodes.data);
}

static void
read_inlining(struct js_walk *k, const struct v8_code *code, uint64_t pc,
	      struct v8_inlining *to)
{
	struct v8_inlined inlined[V8_INLINED_MAX];
	size_t i;

	to->n = v8_optimized_inlined(&k->w->optimized, k->w->l, k->copy, code,
				     pc, inlined);
	to->function = mem_zero(to->n + 1, sizeof(*to->function));
	for (i = 0; i < to->n; i++) {
		to->function[i].code = find_function(k, inlined[i].shared);
		to->function[i].position = -1;
		if (to->function[i].code != V8_FUNCTIONS_NONE)
			to->function[i].position = find_position(
			    k, to->function[i].code,
			    find_bytecodes(k, inlined[i].shared),
			    inlined[i].offset);
	}
}

/* The functions at a return address; NULL if it is not in optimised code. */
static const struct v8_inlining *
find_inlining(struct js_walk *k, uint64_t pc)
{
	struct inlining_key key = { .tid = k->copy->reader.tid,
				    .isolate = k->isolate,
				    .pc = pc };
	struct v8_inlining *found;
	struct v8_code code;

	if (!v8_optimized_code(&k->w->optimized, k->w->l, k->copy, pc, &code))
		return NULL;
	key.start = code.start;
	key.optimization = code.optimization;
	key.size = code.size;
	HASH_FIND(hh, k->w->inlinings, &key, sizeof(key), found);
	if (found != NULL || !may_read(k))
		return found;
	if (HASH_COUNT(k->w->inlinings) >= MAX_INLININGS)
		clear_inlinings(k->w);
	found = mem_zero(1, sizeof(*found));
	found->key = key;
	read_inlining(k, &code, pc, found);
	if (!may_read(k)) {
		free(found->function);
		free(found);
		return NULL;
	}
	HASH_ADD(hh, k->w->inlinings, key, sizeof(found->key), found);
	return found;
}

/* Add the functions of a frame, of which code is the outermost. */
static bool
add_functions(struct js_walk *k, const struct v8_frame *f, uint64_t code,
	      struct interp_stack *s)
{
	const struct v8_inlining *inlining = NULL;
	size_t i;

	if (!f->exact && f->pc != 0 && find_builtin(k->w, f->pc) == NULL)
		inlining = find_inlining(k, f->pc);
	if (inlining == NULL || inlining->n == 0 ||
	    inlining->function[0].code != code)
		return interp_stack_add(s, code, find_interpreted(k, f, code));
	for (i = inlining->n; i > 0; i--) {
		code = inlining->function[i - 1].code;
		if (code != V8_FUNCTIONS_NONE &&
		    !interp_stack_add(s, code,
				      inlining->function[i - 1].position))
			return false;
	}
	return true;
}

/* False if there is not enough to read for all of them. */
static bool
add_frames(struct js_walk *k, struct interp_stack *s)
{
	const struct v8_frame *f = k->w->frames.frame;
	const struct v8_frame *end = f + k->w->frames.n;
	const struct v8_builtin *builtin;
	uint64_t code;

	for (; f < end; f++) {
		code = find_function(k, f->shared);
		if (code != V8_FUNCTIONS_NONE) {
			if (!add_functions(k, f, code, s))
				return false;
		} else {
			builtin = find_builtin(k->w, f->pc);
			/* In the file, the frame has its name already. */
			if (builtin == NULL || k->w->frames.delta == 0)
				continue;
			code = v8_functions_builtin(k->w->functions,
						    builtin->name);
			if (!interp_stack_add(s, code, -1))
				return false;
		}
		interp_stack_end_segment(s, f->fp);
	}
	return may_read(k);
}

/* Where frames begin: at the exit to C, or where the thread runs. */
static uint64_t
begin(const struct js_walk *k, uint64_t exit_frame, uint64_t fast_call,
      uint64_t *pc)
{
	*pc = 0;
	if (exit_frame != 0)
		return exit_frame;
	if (fast_call != 0)
		return fast_call;
	*pc = k->copy->moment.pc;
	return k->copy->moment.fp;
}

bool
v8_walk(struct v8_walker *w, struct interp_copy *copy,
	const struct interp_listed *thread, struct interp_stack *s)
{
	const struct v8_layout *l = w->l;
	struct js_walk k = { w, copy, thread->block, 0 };
	uint64_t exit_frame, fast_call, fp, pc;

	copy->max_reads = MAX_READS;
	if (read_word(copy, thread->id) != thread->block)
		return false;
	k.entry_frame = read_word(copy, thread->block + l->isolate.entry_frame);
	exit_frame = read_word(copy, thread->block + l->isolate.exit_frame);
	fast_call = read_word(copy, thread->block + l->isolate.fast_call);
	/* Threads that help one with its isolate have it, too. */
	if (k.entry_frame - copy->moment.sp > MAX_STACK)
		return true;
	w->frames.n = 0;
	w->frames.delta = 0;
	fp = begin(&k, exit_frame, fast_call, &pc);
	if (!find_frames(&k, fp, pc)) {
		s->complete = false;
		return true;
	}
	find_shared(&k);
	s->complete = add_frames(&k, s);
	return true;
}

void
v8_walk_free(struct v8_walker *w)
{
	free(w->frames.frame);
	v8_optimized_free(&w->optimized);
	clear_inlinings(w);
}
