/*
 * cpython_tasks.c - suspended tasks of asyncio.
 *
 * asyncio has a WeakSet of its tasks.  A task has a coroutine; each suspended
 * coroutine has what it awaits on top of its stack of values.
 *
 * The process runs while its tasks are read, a batch at a time.  What was used
 * is then read again by one call.  Chains that are equal both times have been
 * the chain of the task in between.
 */
#include "interp/cpython_tasks.h"

#include "base/mem.h"
#include "base/peek.h"
#include "interp/cpython_objects.h"
#include "interp/cpython_text.h"

#include <stdlib.h>

enum {
	BATCH = 32,            /* tasks that are read together */
	BATCH_FRAMES = 2048,   /* the frames of a batch, roughly */
	MAX_SLOTS = 1 << 18,   /* of a set */
	BLOCK = 4096,          /* slots that are read by one call */
	MAX_INTERPRETERS = 16, /* whose tasks are read */
	MAX_FRAMES = 1 << 20,  /* of all tasks, each time */
	MAX_OTHERS = 2048, /* objects one after the other that are no tasks */
	MAX_KINDS = 256,   /* classes whose kind is kept */
	MAX_BATCHES = 1 << 13 /* whose addresses are kept */
};

/* Fields that are where they are in all versions. */
enum {
	OBJECT_TYPE = 8,
	SET_MASK = 32,
	SET_TABLE = 40,
	SLOT = 16, /* key and hash */
	REFERENCE_OBJECT = 16,
	WRAPPED = 16, /* by what await makes of a coroutine or generator */
	LEAST_VERSION = 7
};

enum kind { KIND_OTHER, KIND_TASK, KIND_COROUTINE, KIND_WRAPPER };

/* From Modules/_asynciomodule.c and the headers of each version. */
static const struct task_layout {
	/* Of TaskObj; name is 0 if tasks have none. */
	uint32_t coroutine, name, waiter, state;
	/* Of PyCoroObject: its frame, or up to 3.10 the frame's address. */
	uint32_t frame;
	uint32_t frame_state; /* from 3.11 on */
	uint32_t code_bytes;  /* co_code of PyCodeObject, up to 3.10 */
} layouts[] = {
	{ 112, 0, 104, 72, 16, 0, 40 },   { 112, 120, 104, 72, 16, 0, 48 },
	{ 152, 160, 144, 80, 16, 0, 48 }, { 160, 168, 152, 88, 16, 0, 48 },
	{ 136, 144, 128, 88, 80, 75, 0 }, { 136, 144, 128, 88, 72, 67, 0 },
	{ 120, 128, 112, 96, 72, 67, 0 }
};

/* Fields of frames. */
enum {
	OLD_VALUES = 64,          /* f_valuestack */
	OLD_TOP = 72,             /* f_stacktop, up to 3.9 */
	DEPTH_3_10 = 80,          /* f_stackdepth */
	STATE_3_10 = 108,         /* f_state */
	OLD_SIZE = 112,           /* enough for these */
	STACK_TOP = 64,           /* stacktop, from 3.11 on */
	LOCALS = 72,              /* localsplus */
	YIELD_FROM = 72,          /* an instruction up to 3.10 */
	SUSPENDED = -1,           /* a state up to 3.12, */
	SUSPENDED_3_13 = -2,      /* and 3.13, */
	SUSPENDED_YIELD_FROM = -1 /* which tells that it awaits */
};

struct kind_of_type {
	uint64_t type;
	enum kind kind;
};

struct cpython_tasks {
	const struct cpython_layout *l;
	const struct task_layout *t; /* NULL: not in this version */
	const struct interp_reader *reader;
	struct interp_copy memory; /* for what is read once */
	struct cpython_objects objects;
	struct interp_copy first, second; /* readings of a batch */
	struct kind_of_type kind[MAX_KINDS];
	size_t kinds; /* known since cpython_tasks_begin() */

	uint64_t set[MAX_INTERPRETERS];
	size_t sets;
	uint64_t sets_time; /* when they were found, in ns; 0: not yet */
	/* The slots of all sets, and the next one. */
	uint64_t *slot;
	size_t n, cap, next;

	struct cpython_task task[BATCH], again[BATCH];
	struct interp_stack stack; /* of the second reading */
	/* The memory that each batch needed in the last round. */
	struct interp_spans *spans;
	size_t nspans, spans_cap, batch;
	size_t frames, unread;
	size_t others; /* since the last task; many: this is no set of tasks */
};

struct cpython_tasks *
cpython_tasks_new(const struct cpython_layout *l)
{
	const size_t n = sizeof(layouts) / sizeof(*layouts);
	struct cpython_tasks *all = mem_zero(1, sizeof(*all));

	all->l = l;
	if (l->major == 3 && l->minor >= LEAST_VERSION &&
	    l->minor < LEAST_VERSION + n)
		all->t = &layouts[l->minor - LEAST_VERSION];
	all->objects = (struct cpython_objects){ .l = l,
						 .memory = &all->memory };
	return all;
}

void
cpython_tasks_free(struct cpython_tasks *all)
{
	size_t i;

	if (all == NULL)
		return;
	for (i = 0; i < all->nspans; i++)
		interp_copy_free_spans(&all->spans[i]);
	free(all->spans);
	free(all->slot);
	buf_free(&all->objects.table);
	interp_stack_free(&all->stack);
	interp_copy_free(&all->memory);
	interp_copy_free(&all->first);
	interp_copy_free(&all->second);
	free(all);
}

size_t
cpython_tasks_unread(const struct cpython_tasks *all)
{
	return all->unread;
}

/* The sets. */

void
cpython_tasks_add_set(struct cpython_tasks *all, uint64_t set)
{
	struct buf *block = &all->objects.table;
	uint64_t slots, table, i, n, j;
	char head[SET_TABLE + 8];

	if (!interp_copy_read(&all->memory, set, head, sizeof(head)))
		return;
	slots = peek_u64(head, SET_MASK) + 1;
	table = peek_u64(head, SET_TABLE);
	if (slots > MAX_SLOTS)
		return;
	buf_reserve(block, (size_t)BLOCK * SLOT);
	for (i = 0; i < slots; i += n) {
		n = slots - i < BLOCK ? slots - i : BLOCK;
		if (!interp_copy_read(&all->memory, table + i * SLOT, block->p,
				      (size_t)n * SLOT))
			return;
		for (j = 0; j < n; j++) {
			/* A slot that was emptied has the hash -1. */
			if (peek_u64(block->p, j * SLOT) == 0 ||
			    peek_u64(block->p, j * SLOT + 8) == UINT64_MAX)
				continue;
			all->slot = mem_grow(all->slot, &all->cap, all->n + 1,
					     sizeof(*all->slot));
			all->slot[all->n++] = peek_u64(block->p, j * SLOT);
		}
	}
}

/* Find the set of each interpreter that has imported asyncio. */
static void
find_sets(struct cpython_tasks *all, uint64_t head)
{
	const unsigned renamed = 12;
	const struct str name = all->l->minor < renamed ?
				    STR("_all_tasks") :
				    STR("_scheduled_tasks");
	struct cpython_objects *o = &all->objects;
	uint64_t interpreter = cpython_objects_pointer(o, head), module, set;
	int i;

	all->sets = 0;
	for (i = 0; interpreter != 0 && i < MAX_INTERPRETERS; i++) {
		module = cpython_objects_module(o, interpreter,
						STR("asyncio.tasks"));
		set = cpython_objects_find(o, module, name);
		set = cpython_objects_attribute(o, set, STR("data"));
		if (set != 0)
			all->set[all->sets++] = set;
		interpreter = cpython_objects_pointer(
		    o, interpreter + all->l->interp.next);
	}
}

void
cpython_tasks_begin(struct cpython_tasks *all,
		    const struct interp_reader *reader, uint64_t head,
		    uint64_t now)
{
	const uint64_t interval = 1000000000;
	size_t i;

	all->reader = reader;
	all->kinds = all->n = all->next = all->batch = 0;
	all->frames = all->unread = all->others = 0;
	if (all->t == NULL)
		return;
	interp_copy_begin(&all->memory, reader, NULL, NULL, NULL, 0);
	if (all->sets_time == 0 || now - all->sets_time > interval) {
		find_sets(all, head);
		all->sets_time = now;
	}
	for (i = 0; i < all->sets; i++)
		cpython_tasks_add_set(all, all->set[i]);
}

/* Objects of a batch. */

/* A word, or 0. */
static uint64_t
get(struct interp_copy *c, uint64_t address)
{
	uint64_t word;

	return address % 8 == 0 && interp_copy_get(c, address, &word,
						   sizeof(word), sizeof(word)) ?
		   word :
		   0;
}

static enum kind
find_kind(struct cpython_tasks *all, uint64_t type)
{
	static const char *const coroutines[] = { "coroutine", "generator",
						  "async_generator" };
	static const char *const wrappers[] = { "coroutine_wrapper",
						"async_generator_asend",
						"async_generator_athrow",
						"anext_awaitable" };
	struct cpython_objects *o = &all->objects;
	size_t i;

	for (i = 0; i < sizeof(coroutines) / sizeof(*coroutines); i++) {
		if (cpython_objects_is(o, type, str_of(coroutines[i]), false))
			return KIND_COROUTINE;
	}
	for (i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++) {
		if (cpython_objects_is(o, type, str_of(wrappers[i]), false))
			return KIND_WRAPPER;
	}
	return cpython_objects_is(o, type, STR("_asyncio.Task"), true) ?
		   KIND_TASK :
		   KIND_OTHER;
}

/* The kind of an object, by its class. */
static enum kind
kind_of(struct cpython_tasks *all, struct interp_copy *c, uint64_t object)
{
	const uint64_t type = get(c, object + OBJECT_TYPE);
	enum kind kind;
	size_t i;

	if (type == 0)
		return KIND_OTHER;
	for (i = 0; i < all->kinds; i++) {
		if (all->kind[i].type == type)
			return all->kind[i].kind;
	}
	kind = find_kind(all, type);
	if (all->kinds < MAX_KINDS)
		all->kind[all->kinds++] = (struct kind_of_type){ type, kind };
	return kind;
}

/* A suspended coroutine. */
struct suspended {
	uint64_t code;
	int64_t ip;
	uint64_t awaits; /* an object, or 0 */
};

/* Frames that are objects: up to 3.10. */
static bool
read_old(struct cpython_tasks *all, struct interp_copy *c, uint64_t coroutine,
	 struct suspended *s)
{
	const bool has_state = all->l->minor == 10;
	const uint64_t frame = get(c, coroutine + all->t->frame);
	uint64_t values, top, code_bytes;
	char bytes[OLD_SIZE], instruction;
	int32_t last;

	if (frame == 0 || frame % 8 != 0 ||
	    !interp_copy_get(c, frame, bytes, sizeof(bytes), sizeof(bytes)))
		return false;
	values = peek_u64(bytes, OLD_VALUES);
	top = has_state ? values + 8 * (uint64_t)peek_u32(bytes, DEPTH_3_10) :
			  peek_u64(bytes, OLD_TOP);
	last = peek_i32(bytes, all->l->frame.ip);
	if (has_state ? (signed char)bytes[STATE_3_10] > SUSPENDED : top == 0)
		return false;
	*s = (struct suspended){ peek_u64(bytes, all->l->frame.code), last, 0 };
	if (last < 0 || top <= values)
		return true;
	/* f_lasti counts instructions in 3.10, and bytes before. */
	code_bytes = get(c, s->code + all->t->code_bytes);
	if (!interp_copy_get(c,
			     code_bytes + all->l->bytes +
				 ((uint64_t)last * (has_state ? 2 : 1)) + 2,
			     &instruction, 1, 1))
		return false;
	if (instruction == YIELD_FROM)
		s->awaits = get(c, top - 8);
	return true;
}

/* Whether the instruction after a yield says that the frame awaits: RESUME. */
static bool
resumes_await(struct interp_copy *c, uint64_t ip)
{
	const unsigned after_yield_from = 2;
	unsigned char instruction[2];

	return interp_copy_get(c, ip + 2, instruction, sizeof(instruction),
			       sizeof(instruction)) &&
	       instruction[1] >= after_yield_from;
}

/* Frames within the coroutine: from 3.11 on. */
static bool
read_new(struct cpython_tasks *all, struct interp_copy *c, uint64_t coroutine,
	 struct suspended *s)
{
	const bool tells = all->l->minor >= 13;
	const int suspended = tells ? SUSPENDED_3_13 : SUSPENDED;
	const uint32_t at = all->t->frame;
	char bytes[256];
	int32_t depth;
	signed char state;

	if (!interp_copy_get(c, coroutine, bytes, at + LOCALS, at + LOCALS))
		return false;
	state = (signed char)bytes[all->t->frame_state];
	if (state >= 0)
		return false;
	*s = (struct suspended){
		peek_u64(bytes, at + all->l->frame.code),
		(int64_t)peek_u64(bytes, at + all->l->frame.ip), 0
	};
	depth = peek_i32(bytes, at + STACK_TOP);
	if (state < suspended || depth <= 0)
		return true;
	if (tells ? state == SUSPENDED_YIELD_FROM :
		    resumes_await(c, (uint64_t)s->ip))
		s->awaits = get(c, coroutine + at + LOCALS +
				       8 * (uint64_t)(depth - 1));
	return true;
}

/* Add what a coroutine awaits, root first; false if that is not suspended. */
static bool
add_chain(struct cpython_tasks *all, struct interp_copy *c, uint64_t coroutine,
	  struct interp_stack *s)
{
	struct suspended suspended;
	enum kind kind;
	int i;

	for (i = 0; i < INTERP_STACK_DEPTH; i++) {
		kind = kind_of(all, c, coroutine);
		if (kind == KIND_WRAPPER) {
			coroutine = get(c, coroutine + WRAPPED);
			continue;
		}
		if (kind != KIND_COROUTINE)
			return true;
		if (!(all->l->frames == CPYTHON_OBJECTS ?
			  read_old(all, c, coroutine, &suspended) :
			  read_new(all, c, coroutine, &suspended)) ||
		    !interp_stack_add(s, suspended.code, suspended.ip))
			return false;
		coroutine = suspended.awaits;
		if (coroutine == 0)
			return true;
	}
	return false;
}

static void
reverse(struct interp_vm_frame *f, size_t n)
{
	struct interp_vm_frame swapped;
	size_t i;

	for (i = 0; i < n / 2; i++) {
		swapped = f[i];
		f[i] = f[n - 1 - i];
		f[n - 1 - i] = swapped;
	}
}

/*
 * Whether a task is neither done nor running; sets its address and coroutine,
 * which is 0 if it cannot be read.
 */
static bool
find_coroutine(struct cpython_tasks *all, struct interp_copy *c,
	       uint64_t reference, struct cpython_task *t, uint64_t *coroutine)
{
	uint32_t state;

	t->address = get(c, reference + REFERENCE_OBJECT);
	all->others++;
	if (t->address == 0 || kind_of(all, c, t->address) != KIND_TASK)
		return false;
	all->others = 0;
	if (!interp_copy_get(c, t->address + all->t->state, &state,
			     sizeof(state), sizeof(state)) ||
	    state != 0)
		return false;
	*coroutine = get(c, t->address + all->t->coroutine);
	t->ready = get(c, t->address + all->t->waiter) == 0;
	return true;
}

/* Read a task, and add its frames; end is begin if there are none. */
static void
read_task(struct cpython_tasks *all, struct interp_copy *c, uint64_t reference,
	  struct cpython_task *t, struct interp_stack *s)
{
	uint64_t coroutine;

	*t = (struct cpython_task){ .begin = s->n, .end = s->n };
	if (!find_coroutine(all, c, reference, t, &coroutine))
		return;
	if (!add_chain(all, c, coroutine, s)) {
		/* Unless it is the first one, which runs. */
		all->unread += s->n > t->begin;
		s->n = t->begin;
	}
	t->end = s->n;
	if (t->end > t->begin)
		reverse(s->frame + t->begin, t->end - t->begin);
}

/* Read tasks from a slot on, as many as a batch takes. */
static size_t
read_batch(struct cpython_tasks *all, struct interp_copy *c, size_t slot,
	   struct cpython_task *t, struct interp_stack *s)
{
	size_t n = 0;

	interp_stack_clear(s);
	while (n < BATCH && slot + n < all->n && s->n < BATCH_FRAMES) {
		read_task(all, c, all->slot[slot + n], &t[n], s);
		n++;
	}
	return n;
}

static bool
is_equal(const struct cpython_task *a, const struct interp_stack *as,
	 const struct cpython_task *b, const struct interp_stack *bs)
{
	const size_t n = a->end - a->begin;
	size_t i;

	if (a->address != b->address || n != b->end - b->begin ||
	    a->ready != b->ready)
		return false;
	for (i = 0; i < n; i++) {
		if (as->frame[a->begin + i].code !=
			bs->frame[b->begin + i].code ||
		    as->frame[a->begin + i].ip != bs->frame[b->begin + i].ip)
			return false;
	}
	return true;
}

/* The memory that the current batch needed in the last round. */
static struct interp_spans *
last_spans(struct cpython_tasks *all)
{
	const size_t i = all->batch % MAX_BATCHES;

	while (all->nspans <= i) {
		all->spans = mem_grow(all->spans, &all->spans_cap,
				      all->nspans + 1, sizeof(*all->spans));
		all->spans[all->nspans++] = (struct interp_spans){ 0 };
	}
	return &all->spans[i];
}

/* Keep the tasks that were equal twice; returns how many. */
static size_t
keep_equal(struct cpython_tasks *all, const struct interp_stack *s,
	   size_t first, size_t second)
{
	struct cpython_task *t = all->task;
	size_t i, kept = 0;

	for (i = 0; i < first; i++) {
		if (t[i].end == t[i].begin)
			continue;
		if (i < second &&
		    is_equal(&t[i], s, &all->again[i], &all->stack))
			t[kept++] = t[i];
		else
			all->unread++;
	}
	return kept;
}

size_t
cpython_tasks_next(struct cpython_tasks *all, struct interp_stack *s,
		   const struct cpython_task **task)
{
	struct interp_spans *spans;
	size_t n, again, kept = 0, unread;

	*task = all->task;
	while (kept == 0 && all->next < all->n) {
		if (all->frames >= MAX_FRAMES) {
			all->unread += all->n - all->next;
			all->next = all->n;
			break;
		}
		spans = last_spans(all);
		interp_copy_begin(&all->memory, all->reader, NULL, NULL, NULL,
				  0);
		interp_copy_begin(&all->first, all->reader, spans, NULL, NULL,
				  0);
		n = read_batch(all, &all->first, all->next, all->task, s);
		interp_copy_end(&all->first, spans);
		interp_copy_begin(&all->second, all->reader, spans, NULL, NULL,
				  0);
		unread = all->unread;
		again = read_batch(all, &all->second, all->next, all->again,
				   &all->stack);
		all->unread = unread;
		kept = keep_equal(all, s, n, again);
		all->frames += s->n + n;
		all->next += n;
		all->batch++;
		if (all->others > MAX_OTHERS)
			all->next = all->n;
	}
	return kept;
}

void
cpython_tasks_name(struct cpython_tasks *all, const struct cpython_task *task,
		   struct buf *name)
{
	name->len = 0;
	if (all->t->name == 0)
		return;
	interp_copy_begin(&all->memory, all->reader, NULL, NULL, NULL, 0);
	cpython_text_read(all->l, &all->memory,
			  cpython_objects_pointer(&all->objects,
						  task->address + all->t->name),
			  name);
}
