/*
 * hotspot_virtual.c - virtual threads of a HotSpot that no thread runs.
 *
 * A VirtualThread has a state and a Continuation, which has its frames in a
 * list of StackChunk's.  The process runs meanwhile: objects are read, then
 * frames, then objects again, and what was the same both times is right.
 */
#include "interp/hotspot_virtual.h"

#include "base/mem.h"
#include "base/peek.h"
#include "interp/hotspot_chunks.h"
#include "interp/hotspot_containers.h"

#include <stdlib.h>

/*
 * Limits: virtual threads that are read together, bytes of an object, bytes of
 * the frames of an object, objects with frames of a thread, states.
 */
enum {
	BATCH = 64,
	OBJECT = 256,
	MAX_FRAMES = 1 << 16,
	MAX_CHUNKS = 16,
	MAX_STATES = 16
};

/* A bit of the state: a debugger has suspended the thread. */
enum { SUSPENDED = 256 };

/* States of a virtual thread; their numbers are in VirtualThread.java. */
static const struct state {
	const char *name;
	bool ready;
	const char *wait;
} states[] = { { "STARTED", true, "" },
	       { "UNPARKED", true, "" },
	       { "YIELDED", true, "" },
	       { "UNBLOCKED", true, "" },
	       { "PARKED", false, "park" },
	       { "TIMED_PARKED", false, "park" },
	       { "BLOCKED", false, "lock" },
	       { "WAIT", false, "object-wait" },
	       { "TIMED_WAIT", false, "object-wait" } };

enum { STATES = sizeof(states) / sizeof(*states) };

/* A field of an object. */
struct object_field {
	uint32_t offset; /* 0: unknown */
	uint32_t size;
};

/* The fields of an object that are read together. */
struct object_kind {
	uint64_t klass;
	uint32_t size; /* bytes up to the last field */
};

enum virtual_field {
	FIELD_STATE,
	FIELD_CONT,
	FIELD_TID,
	FIELD_BLOCKER,
	FIELD_TAIL,
	FIELD_PARENT,
	FIELD_SIZE,
	FIELD_SP,
	FIELD_BOTTOM,
	FIELDS
};

enum { KIND_THREAD, KIND_CONTINUATION, KIND_CHUNK, KINDS };

static const struct {
	const char *name;
	int kind;
	uint32_t size; /* 0: a reference */
	bool needed;
} fields[FIELDS] = {
	[FIELD_STATE] = { "state", KIND_THREAD, 4, true },
	[FIELD_CONT] = { "cont", KIND_THREAD, 0, true },
	[FIELD_TID] = { "tid", KIND_THREAD, 8, true },
	[FIELD_BLOCKER] = { "parkBlocker", KIND_THREAD, 0, false },
	[FIELD_TAIL] = { "tail", KIND_CONTINUATION, 0, true },
	[FIELD_PARENT] = { "parent", KIND_CHUNK, 0, true },
	[FIELD_SIZE] = { "size", KIND_CHUNK, 4, true },
	[FIELD_SP] = { "sp", KIND_CHUNK, 4, true },
	[FIELD_BOTTOM] = { "bottom", KIND_CHUNK, 4, true },
};

/* Objects of a virtual thread, as they were read. */
struct virtual_objects {
	uint64_t address[KINDS];
	char bytes[KINDS][OBJECT];
};

/* Where frames are in an object; from is 0 at the end. */
struct frame_range {
	uint64_t from, sp, to;
	size_t at; /* in the copied bytes */
};

struct hotspot_virtual {
	struct hotspot_walker *w;
	struct hotspot_containers *containers;
	const struct hotspot_objects *o;
	const struct interp_reader *reader;
	struct interp_copy heap, code;
	struct interp_spans spans; /* code that was read the last time */

	struct object_kind kind[KINDS];
	struct object_field field[FIELDS];
	uint32_t stack;        /* where frames begin in a StackChunk */
	int32_t state[STATES]; /* their numbers; negative: there is none */
	bool is_known;         /* all of these */

	const uint64_t *thread;
	size_t n, next; /* threads; the first one after the batch */
	struct virtual_objects before[BATCH], after[BATCH];
	size_t batch, at; /* threads of the batch; the next one */
	struct buf frames;
	size_t unread;
};

struct hotspot_virtual *
hotspot_virtual_new(struct hotspot_walker *w)
{
	struct hotspot_virtual *all = mem_zero(1, sizeof(*all));

	all->w = w;
	all->containers = hotspot_containers_new(w->l);
	return all;
}

void
hotspot_virtual_free(struct hotspot_virtual *all)
{
	if (all == NULL)
		return;
	hotspot_containers_free(all->containers);
	interp_copy_free(&all->heap);
	interp_copy_free(&all->code);
	interp_copy_free_spans(&all->spans);
	buf_free(&all->frames);
	free(all);
}

size_t
hotspot_virtual_unread(const struct hotspot_virtual *all)
{
	return all->unread;
}

bool
hotspot_virtual_is_partial(const struct hotspot_virtual *all)
{
	return hotspot_containers_is_partial(all->containers);
}

/* Classes. */

static void
begin_heap(struct hotspot_virtual *all)
{
	interp_copy_begin(&all->heap, all->reader, NULL, NULL, NULL, 0);
}

/* Read the numbers of states from static fields of the class. */
static void
read_states(struct hotspot_virtual *all)
{
	const struct hotspot_layout *l = all->w->l;
	const uint64_t klass = all->kind[KIND_THREAD].klass;
	uint64_t mirror;
	uint32_t offset;
	size_t i;

	if (!hotspot_layout_read_field(l, HOTSPOT_KLASS_MIRROR, &all->heap,
				       klass, &mirror))
		mirror = 0;
	mirror = hotspot_threads_resolve(l, &all->heap, mirror);
	for (i = 0; i < STATES; i++) {
		offset = hotspot_objects_field(l, &all->heap, klass,
					       states[i].name);
		if (offset == 0 || mirror == 0 ||
		    !interp_copy_read(&all->heap, mirror + offset,
				      &all->state[i], sizeof(all->state[i])))
			all->state[i] = -1;
		begin_heap(all);
	}
}

/* Find the fields of a kind of objects by their class. */
static bool
read_kind(struct hotspot_virtual *all, int kind, uint64_t object)
{
	struct object_kind *k = &all->kind[kind];
	struct object_field *f;
	size_t i;

	if (object == 0)
		return false;
	k->klass = hotspot_objects_class(all->o, &all->heap, object);
	k->size = 16;
	for (i = 0; i < FIELDS; i++) {
		if (fields[i].kind != kind)
			continue;
		f = &all->field[i];
		f->size = fields[i].size == 0 ? all->o->reference :
						fields[i].size;
		begin_heap(all);
		f->offset = hotspot_objects_member(all->w->l, &all->heap,
						   k->klass, fields[i].name);
		if ((f->offset == 0 && fields[i].needed) ||
		    f->offset > OBJECT - f->size)
			return false;
		if (f->offset + f->size > k->size)
			k->size = f->offset + f->size;
	}
	begin_heap(all);
	return true;
}

/* The value of a field of an object; references are addresses. */
static uint64_t
get(const struct hotspot_virtual *all, const struct virtual_objects *v,
    enum virtual_field id)
{
	const struct object_field *f = &all->field[id];
	uint64_t value = 0;

	if (f->offset == 0)
		return 0;
	memcpy(&value, v->bytes[fields[id].kind] + f->offset, f->size);
	if (fields[id].size > 0 || value == 0)
		return value;
	value = all->o->reference == 4 ?
		    all->o->base + (value << all->o->shift) :
		    hotspot_objects_plain(value);
	return value % 8 == 0 ? value : 0;
}

/* Read an object of a kind alone. */
static bool
read_object(struct hotspot_virtual *all, struct virtual_objects *v, int kind,
	    uint64_t object)
{
	return object != 0 &&
	       interp_copy_read(&all->heap, object, v->bytes[kind],
				all->kind[kind].size);
}

/* Find all classes by a thread that has frames in the heap. */
static bool
learn(struct hotspot_virtual *all, uint64_t thread)
{
	const struct hotspot_layout *l = all->w->l;
	struct virtual_objects v;
	uint64_t klass, shape, object;

	begin_heap(all);
	klass = hotspot_objects_class(all->o, &all->heap, thread);
	if (!hotspot_objects_is(l, &all->heap, klass,
				STR("java/lang/VirtualThread")))
		return false;
	if (!read_kind(all, KIND_THREAD, thread) ||
	    !read_object(all, &v, KIND_THREAD, thread))
		return false;
	object = get(all, &v, FIELD_CONT);
	if (!read_kind(all, KIND_CONTINUATION, object) ||
	    !read_object(all, &v, KIND_CONTINUATION, object))
		return false;
	object = get(all, &v, FIELD_TAIL);
	if (!read_kind(all, KIND_CHUNK, object) ||
	    !hotspot_layout_read_field(l, HOTSPOT_KLASS_SHAPE, &all->heap,
				       all->kind[KIND_CHUNK].klass, &shape))
		return false;
	/* The size of an object, without its lowest bit. */
	all->stack = (uint32_t)shape & ~UINT32_C(7);
	read_states(all);
	return all->stack <= OBJECT;
}

static void
learn_from_any(struct hotspot_virtual *all)
{
	const size_t most = 256;
	size_t i;

	for (i = 0; i < all->n && i < most && !all->is_known; i++)
		all->is_known = learn(all, all->thread[i]);
}

/* Batches. */

/* The state of a thread; NULL if it runs, or is no virtual thread. */
static const struct state *
state_of(const struct hotspot_virtual *all, const struct virtual_objects *v)
{
	const int32_t state = (int32_t)get(all, v, FIELD_STATE) & ~SUSPENDED;
	size_t i;

	for (i = 0; i < STATES; i++) {
		if (all->state[i] == state)
			return &states[i];
	}
	return NULL;
}

/* Read objects of a kind whose addresses are set. */
static void
read_kinds(struct hotspot_virtual *all, struct virtual_objects *v, int kind)
{
	const size_t size = all->kind[kind].size;
	uint64_t address[BATCH];
	char bytes[BATCH * OBJECT];
	size_t i, n = 0;

	for (i = 0; i < all->batch; i++) {
		if (v[i].address[kind] != 0)
			address[n++] = v[i].address[kind];
	}
	hotspot_objects_read_all(&all->heap, address, n, size, bytes);
	for (i = n = 0; i < all->batch; i++) {
		if (v[i].address[kind] != 0)
			memcpy(v[i].bytes[kind], bytes + n++ * size, size);
	}
}

/* Whether the bytes of an object are of the class of its kind. */
static bool
is_kind(const struct hotspot_virtual *all, const struct virtual_objects *v,
	int kind)
{
	const char *header = v->bytes[kind];

	return hotspot_objects_class_of(all->o, peek_u64(header, 0),
					peek_u64(header, 8)) ==
	       all->kind[kind].klass;
}

static void
read_objects(struct hotspot_virtual *all, struct virtual_objects *v)
{
	size_t i;

	memset(v, 0, all->batch * sizeof(*v));
	for (i = 0; i < all->batch; i++)
		v[i].address[KIND_THREAD] = all->thread[all->next + i];
	read_kinds(all, v, KIND_THREAD);
	for (i = 0; i < all->batch; i++) {
		if (is_kind(all, &v[i], KIND_THREAD) &&
		    state_of(all, &v[i]) != NULL)
			v[i].address[KIND_CONTINUATION] = get(all, &v[i],
							      FIELD_CONT);
	}
	read_kinds(all, v, KIND_CONTINUATION);
	for (i = 0; i < all->batch; i++) {
		if (is_kind(all, &v[i], KIND_CONTINUATION))
			v[i].address[KIND_CHUNK] = get(all, &v[i], FIELD_TAIL);
	}
	read_kinds(all, v, KIND_CHUNK);
}

/* Where the frames of a StackChunk are; from is 0 if it has none. */
static struct frame_range
range_of(const struct hotspot_virtual *all, const struct virtual_objects *v)
{
	const uint64_t begin = v->address[KIND_CHUNK] + all->stack;
	const uint64_t size = get(all, v, FIELD_SIZE);
	const uint64_t sp = get(all, v, FIELD_SP);
	const uint64_t bottom = get(all, v, FIELD_BOTTOM);
	const uint64_t below = HOTSPOT_CHUNKS_BELOW / 8;

	if (!is_kind(all, v, KIND_CHUNK) || sp < below || sp >= bottom ||
	    bottom > size || bottom - sp > MAX_FRAMES / 8)
		return (struct frame_range){ 0 };
	return (struct frame_range){ begin + 8 * (sp - below), begin + 8 * sp,
				     begin + 8 * bottom, 0 };
}

/* Copy frames, and add a range for them. */
static bool
copy_frames(struct hotspot_virtual *all, struct frame_range *r)
{
	const size_t n = (size_t)(r->to - r->from);

	buf_reserve(&all->frames, n);
	r->at = all->frames.len;
	if (!interp_copy_read(&all->heap, r->from,
			      all->frames.p + all->frames.len, n))
		return false;
	all->frames.len += n;
	return true;
}

/* The frames of further objects; false if they cannot be read. */
static bool
copy_parents(struct hotspot_virtual *all, const struct virtual_objects *v,
	     struct frame_range *range, size_t *ranges)
{
	struct virtual_objects parent = *v;
	struct frame_range r;

	while (get(all, &parent, FIELD_PARENT) != 0) {
		if (*ranges == MAX_CHUNKS)
			return false;
		parent.address[KIND_CHUNK] = get(all, &parent, FIELD_PARENT);
		if (!read_object(all, &parent, KIND_CHUNK,
				 parent.address[KIND_CHUNK]))
			return false;
		r = range_of(all, &parent);
		if (r.from == 0)
			continue;
		if (!copy_frames(all, &r))
			return false;
		range[(*ranges)++] = r;
	}
	return true;
}

/* Whether a thread has had the same frames all the time. */
static bool
is_same(const struct hotspot_virtual *all, const struct virtual_objects *a,
	const struct virtual_objects *b)
{
	size_t i;

	for (i = 0; i < FIELDS; i++) {
		if (fields[i].needed && get(all, a, (enum virtual_field)i) !=
					    get(all, b, (enum virtual_field)i))
			return false;
	}
	return true;
}

/* Add all frames of a thread; false if it changed meanwhile. */
static bool
add_frames(struct hotspot_virtual *all, size_t i, struct interp_stack *s)
{
	const struct virtual_objects *v = &all->before[i];
	struct frame_range range[MAX_CHUNKS];
	struct hotspot_chunk chunk;
	size_t ranges = 0, k;

	all->frames.len = 0;
	range[0] = range_of(all, v);
	if (range[0].from != 0) {
		if (!copy_frames(all, &range[0]))
			return false;
		ranges++;
	}
	if (v->address[KIND_CHUNK] != 0 &&
	    !copy_parents(all, v, range, &ranges))
		return false;
	if (!read_object(all, &all->after[i], KIND_THREAD,
			 v->address[KIND_THREAD]) ||
	    (v->address[KIND_CONTINUATION] != 0 &&
	     !read_object(all, &all->after[i], KIND_CONTINUATION,
			  v->address[KIND_CONTINUATION])) ||
	    (v->address[KIND_CHUNK] != 0 &&
	     !read_object(all, &all->after[i], KIND_CHUNK,
			  v->address[KIND_CHUNK])) ||
	    !is_same(all, v, &all->after[i]))
		return false;
	for (k = 0; k < ranges; k++) {
		chunk = (struct hotspot_chunk){ range[k].sp, range[k].to,
						all->frames.p + range[k].at };
		if (!hotspot_chunks_walk(all->w, &all->code, s, &chunk))
			return false;
	}
	return true;
}

void
hotspot_virtual_begin(struct hotspot_virtual *all,
		      const struct hotspot_objects *o,
		      const struct interp_reader *reader, uint64_t now)
{
	all->o = o;
	all->reader = reader;
	all->next = all->batch = all->at = all->unread = 0;
	begin_heap(all);
	all->thread = hotspot_containers_read(all->containers, o, &all->heap,
					      now, &all->n);
	if (!all->is_known)
		learn_from_any(all);
	interp_copy_begin(&all->code, reader, &all->spans, NULL, NULL, 0);
	all->code.max_reads = SIZE_MAX;
	begin_heap(all);
	all->heap.max_reads = SIZE_MAX;
}

/* Read the next batch; false if there is none. */
static bool
read_batch(struct hotspot_virtual *all)
{
	all->next += all->batch;
	all->at = 0;
	all->batch = all->n - all->next < BATCH ? all->n - all->next : BATCH;
	if (!all->is_known || all->batch == 0) {
		interp_copy_end(&all->code, &all->spans);
		all->n = all->next = all->batch = 0;
		return false;
	}
	read_objects(all, all->before);
	return true;
}

/* Whether a thread of the batch is one that no thread runs. */
static bool
is_suspended(const struct hotspot_virtual *all, size_t i)
{
	return is_kind(all, &all->before[i], KIND_THREAD) &&
	       state_of(all, &all->before[i]) != NULL;
}

bool
hotspot_virtual_next(struct hotspot_virtual *all, struct interp_stack *s,
		     struct hotspot_virtual_thread *t)
{
	const struct virtual_objects *v;
	const struct state *state;
	size_t i;

	for (;;) {
		if (all->at == all->batch && !read_batch(all))
			return false;
		i = all->at++;
		if (!is_suspended(all, i))
			continue;
		interp_stack_clear(s);
		if (add_frames(all, i, s))
			break;
		all->unread++;
	}
	v = &all->before[i];
	state = state_of(all, v);
	*t = (struct hotspot_virtual_thread){
		.address = v->address[KIND_THREAD],
		.id = get(all, v, FIELD_TID),
		.ready = state->ready,
		.wait = str_of(state->wait),
		.lock = state->ready ? 0 : get(all, v, FIELD_BLOCKER)
	};
	return true;
}
