/*
 * cpython_tasks.c - suspended tasks of asyncio.
 *
 * asyncio has a WeakSet of its tasks, and from 3.14 on lists of them.  A task
 * has a coroutine.
 *
 * The process runs while its tasks are read, a batch at a time.  What was used
 * is then read again by one call.  Chains that are equal both times have been
 * the chain of the task in between.
 */
#include "interp/cpython_tasks.h"

#include "base/mem.h"
#include "base/peek.h"
#include "interp/cpython_coroutines.h"
#include "interp/cpython_objects.h"
#include "interp/cpython_text.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	BATCH = 32,            /* tasks that are read together */
	BATCH_FRAMES = 2048,   /* the frames of a batch, roughly */
	MAX_SLOTS = 1 << 18,   /* of a set; tasks of all lists */
	BLOCK = 4096,          /* slots that are read by one call */
	MAX_INTERPRETERS = 16, /* whose tasks are read */
	MAX_THREADS = 4096,    /* the same */
	MAX_TRIES = 4,         /* to read a list that changes meanwhile */
	MAX_FRAMES = 1 << 20,  /* of all tasks, each time */
	MAX_OTHERS = 2048, /* objects one after the other that are no tasks */
	MAX_BATCHES = 1 << 13 /* whose addresses are kept */
};

/* Fields that are where they are in all versions. */
enum {
	OBJECT_TYPE = 8,
	SET_MASK = 32,
	SET_TABLE = 40,
	SLOT = 16, /* key and hash */
	REFERENCE_OBJECT = 16,
	LEAST_VERSION = 7,
	LISTED = 14 /* the version from which on asyncio lists its tasks */
};

/* From Modules/_asynciomodule.c of each version: fields of TaskObj. */
static const struct task_layout {
	uint32_t coroutine, waiter, state;
	uint32_t name; /* 0: tasks have none */
} layouts[] = { { 112, 104, 72, 0 },   { 112, 104, 72, 120 },
		{ 152, 144, 80, 160 }, { 160, 152, 88, 168 },
		{ 136, 128, 88, 144 }, { 136, 128, 88, 144 },
		{ 120, 112, 96, 128 }, { 128, 120, 104, 136 },
		{ 128, 120, 104, 136 } };

struct cpython_tasks {
	const struct cpython_layout *l;
	const struct task_layout *t; /* NULL: not in this version */
	const struct interp_reader *reader;
	struct interp_copy memory; /* for what is read once */
	struct cpython_objects objects;
	struct interp_copy first, second; /* readings of a batch */
	struct cpython_coroutines coroutines;

	uint64_t set[MAX_INTERPRETERS];
	size_t sets;
	uint64_t sets_time; /* when they were found, in ns; 0: not yet */
	struct cpython_lists lists;
	bool has_lists;
	/*
	 * Weak references to tasks, or where there are lists, the tasks; those
	 * of the last time; and the next one to read.
	 */
	struct cpython_addresses found, last;
	size_t next;

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
	cpython_coroutines_init(&all->coroutines, &all->objects);
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
	free(all->found.address);
	free(all->last.address);
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

static void
add_found(struct cpython_tasks *all, uint64_t address)
{
	struct cpython_addresses *a = &all->found;

	a->address = mem_grow(a->address, &a->cap, a->n + 1,
			      sizeof(*a->address));
	a->address[a->n++] = address;
}

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
			add_found(all, peek_u64(block->p, j * SLOT));
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

/* The lists. */

bool
cpython_tasks_are_listed(const struct cpython_layout *l)
{
	return l->major == 3 && l->minor >= LISTED;
}

void
cpython_tasks_set_lists(struct cpython_tasks *all,
			const struct cpython_lists *lists)
{
	all->lists = *lists;
	all->has_lists = true;
}

void
cpython_tasks_add_list(struct cpython_tasks *all, uint64_t head)
{
	const size_t before = all->found.n;
	int i;

	for (i = 0; i < MAX_TRIES; i++) {
		all->found.n = before;
		if (cpython_lists_read(&all->lists, &all->memory, head,
				       &all->last, &all->found, MAX_SLOTS))
			return;
	}
	/* At least one of those that lack. */
	all->unread++;
}

/* Add the tasks of an interpreter and its threads. */
static void
add_lists(struct cpython_tasks *all, uint64_t interpreter)
{
	const struct cpython_layout *l = all->l;
	struct cpython_objects *o = &all->objects;
	uint64_t thread;
	int i;

	cpython_tasks_add_list(all, interpreter + all->lists.interpreter);
	thread = cpython_objects_pointer(o, interpreter + l->interp.threads);
	for (i = 0; thread != 0 && i < MAX_THREADS; i++) {
		cpython_tasks_add_list(all, thread + all->lists.thread);
		thread = cpython_objects_pointer(o, thread + l->thread.next);
	}
}

static void
find_listed(struct cpython_tasks *all, uint64_t head)
{
	struct cpython_objects *o = &all->objects;
	uint64_t interpreter = cpython_objects_pointer(o, head);
	const struct cpython_addresses last = all->last;
	int i;

	all->last = all->found;
	all->found = last;
	all->found.n = 0;
	/* At first, each task takes a read. */
	all->memory.max_reads = MAX_SLOTS;
	for (i = 0; interpreter != 0 && i < MAX_INTERPRETERS; i++) {
		add_lists(all, interpreter);
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
	cpython_coroutines_begin(&all->coroutines);
	all->next = all->batch = 0;
	all->frames = all->unread = all->others = 0;
	if (all->t == NULL)
		return;
	interp_copy_begin(&all->memory, reader, NULL, NULL, NULL, 0);
	if (all->l->minor >= LISTED) {
		if (all->has_lists)
			find_listed(all, head);
		return;
	}
	all->found.n = 0;
	if (all->sets_time == 0 || now - all->sets_time > interval) {
		find_sets(all, head);
		all->sets_time = now;
	}
	for (i = 0; i < all->sets; i++)
		cpython_tasks_add_set(all, all->set[i]);
}

/* Tasks of a batch. */

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
 * Whether what was found is a task, and neither done nor running; sets its
 * address and coroutine, which is 0 if it cannot be read.
 */
static bool
find_coroutine(struct cpython_tasks *all, struct interp_copy *c, uint64_t found,
	       struct cpython_task *t, uint64_t *coroutine)
{
	uint32_t state;

	t->address = all->l->minor >= LISTED ?
			 found :
			 interp_copy_word(c, found + REFERENCE_OBJECT);
	all->others++;
	if (t->address == 0 ||
	    cpython_coroutines_kind(&all->coroutines, c, t->address) !=
		CPYTHON_TASK)
		return false;
	all->others = 0;
	if (!interp_copy_get(c, t->address + all->t->state, &state,
			     sizeof(state), sizeof(state)) ||
	    state != 0)
		return false;
	*coroutine = interp_copy_word(c, t->address + all->t->coroutine);
	t->ready = interp_copy_word(c, t->address + all->t->waiter) == 0;
	return true;
}

/* Read a task, and add its frames; end is begin if there are none. */
static void
read_task(struct cpython_tasks *all, struct interp_copy *c, uint64_t found,
	  struct cpython_task *t, struct interp_stack *s)
{
	uint64_t coroutine;

	*t = (struct cpython_task){ .begin = s->n, .end = s->n };
	if (!find_coroutine(all, c, found, t, &coroutine))
		return;
	if (!cpython_coroutines_add(&all->coroutines, c, coroutine, s)) {
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
	while (n < BATCH && slot + n < all->found.n && s->n < BATCH_FRAMES) {
		read_task(all, c, all->found.address[slot + n], &t[n], s);
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
	while (kept == 0 && all->next < all->found.n) {
		if (all->frames >= MAX_FRAMES) {
			all->unread += all->found.n - all->next;
			all->next = all->found.n;
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
			all->next = all->found.n;
	}
	return kept;
}

/* The value of an int of 3.12 and later; 0 if it is negative or large. */
static uint64_t
read_int(struct cpython_tasks *all, uint64_t object)
{
	enum { TAG = 16, DIGITS = 24, BYTES = 32, SIGN = 3, DIGIT_BITS = 30 };
	char bytes[BYTES];
	uint64_t tag;

	if (!interp_copy_read(&all->memory, object, bytes, sizeof(bytes)))
		return 0;
	/* The number of digits above three bits, of which two are the sign. */
	tag = peek_u64(bytes, TAG);
	if ((tag & SIGN) != 0 || tag >> 3 > 2)
		return 0;
	return peek_u32(bytes, DIGITS) |
	       (tag >> 3 < 2 ?
		    0 :
		    (uint64_t)peek_u32(bytes, DIGITS + 4) << DIGIT_BITS);
}

void
cpython_tasks_name(struct cpython_tasks *all, const struct cpython_task *task,
		   struct buf *name)
{
	struct cpython_objects *o = &all->objects;
	uint64_t object, number;

	name->len = 0;
	if (all->t->name == 0)
		return;
	interp_copy_begin(&all->memory, all->reader, NULL, NULL, NULL, 0);
	object = cpython_objects_pointer(o, task->address + all->t->name);
	/* From 3.12 on, a number until somebody asks for the name. */
	if (all->l->minor >= 12 &&
	    cpython_objects_is(o,
			       cpython_objects_pointer(o, object + OBJECT_TYPE),
			       STR("int"), false)) {
		number = read_int(all, object);
		if (number != 0)
			buf_printf(name, "Task-%" PRIu64, number);
		return;
	}
	cpython_text_read(all->l, &all->memory, object, name);
}
