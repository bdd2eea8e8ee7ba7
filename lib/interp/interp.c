/* interp.c - the interpreter in a running process, and the frames of its
 * threads. */
#include "interp/interp.h"

#include "base/hash.h"
#include "base/mem.h"
#include "interp/interp-internal.h"
#include "interp/interp_tls.h"

#include <stdlib.h>

/* A list is good for this long, in ns. */
#define LIST_NS 5000000

struct interp *
interp_new(void)
{
	return mem_zero(1, sizeof(struct interp));
}

void
interp_close(struct interp *p)
{
	if (p->language != NULL)
		p->language->close(p->runtime);
	p->language = NULL;
	p->runtime = NULL;
	p->list.n = 0;
	p->list_time = 0;
	p->tid_offset = 0;
}

void
interp_free(struct interp *p)
{
	if (p == NULL)
		return;
	interp_close(p);
	free(p->list.thread);
	interp_copy_free(&p->memory);
	interp_copy_free(&p->steps);
	free(p);
}

void
interp_free_thread(struct interp_thread *t)
{
	interp_copy_free_spans(&t->spans);
	buf_free(&t->name);
}

bool
interp_is_active(const struct interp *p)
{
	return p->language != NULL && p->language->walk != NULL;
}

bool
interp_has_tasks(const struct interp *p)
{
	return p->language != NULL && p->language->report_tasks != NULL;
}

const struct interp_ranges *
interp_loops(const struct interp *p)
{
	return interp_is_active(p) ? p->language->loops(p->runtime) : NULL;
}

const struct interp_jit *
interp_jit_find(const struct interp *p, uint64_t address)
{
	const struct interp_jit *jit;

	if (p == NULL || p->language == NULL || p->language->jit == NULL)
		return NULL;
	jit = p->language->jit(p->runtime);
	return jit != NULL && address >= jit->code.start &&
		       address < jit->code.end ?
		   jit :
		   NULL;
}

bool
interp_has_greenlets(const struct interp *p)
{
	return p->language != NULL && p->greenlet.start != p->greenlet.end;
}

bool
interp_has_virtual(const struct interp *p)
{
	return p->language != NULL && p->language->has_virtual != NULL &&
	       p->language->has_virtual(p->runtime);
}

bool
interp_lacks_virtual(const struct interp *p)
{
	return p->language != NULL && p->language->lacks_virtual != NULL &&
	       p->language->lacks_virtual(p->runtime);
}

size_t
interp_own_frames(const struct interp *p, const struct unwind_frame *frame,
		  size_t n)
{
	const struct interp_range *g = &p->greenlet;
	const struct interp_ranges *loops = interp_loops(p);
	bool called = false;
	uint64_t pc;
	size_t i;

	if (loops == NULL || g->start == g->end)
		return n;
	for (i = 0; i < n; i++) {
		pc = frame[i].pc - !frame[i].exact;
		called |= interp_binary_in(loops, pc);
		if (called && pc >= g->start && pc < g->end)
			return i + 1;
	}
	return n;
}

/* Threads. */

bool
interp_list_add(struct interp_list *l, int64_t inner_tid, uint64_t block,
		uint64_t id)
{
	if (l->n == INTERP_LIST_MAX)
		return false;
	l->thread = mem_grow(l->thread, &l->cap, l->n + 1, sizeof(*l->thread));
	l->thread[l->n++] = (struct interp_listed){ .inner_tid = inner_tid,
						    .block_tid = inner_tid,
						    .block = block,
						    .id = id };
	return true;
}

static int
compare(const void *a, const void *b)
{
	const struct interp_listed *x = a, *y = b;

	return x->inner_tid < y->inner_tid ? -1 : x->inner_tid > y->inner_tid;
}

static void
read_list(struct interp *p, const struct interp_reader *reader,
	  size_t max_reads)
{
	p->list.n = 0;
	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	p->memory.max_reads = max_reads;
	p->language->list(p->runtime, &p->memory, &p->list);
	if (p->list.n > 1)
		qsort(p->list.thread, p->list.n, sizeof(*p->list.thread),
		      compare);
}

/* Find one thread in the list. */
static void
set_listed(const struct interp *p, struct interp_thread *t,
	   const struct interp_reader *reader)
{
	const struct interp_listed key = { .inner_tid = interp_reader_inner(
					       reader) };
	const struct interp_listed *found =
	    p->list.n == 0 ?
		NULL :
		bsearch(&key, p->list.thread, p->list.n, sizeof(key), compare);

	t->block = found == NULL ? 0 : found->block;
	t->id = found == NULL ? 0 : found->id;
	t->lock = found == NULL ? 0 : found->lock;
	t->block_tid = found == NULL ? 0 : found->block_tid;
}

/* A thread, with what is known of it; t may be NULL. */
static struct interp_listed
thread_of(const struct interp_reader *reader, const struct interp_thread *t)
{
	struct interp_listed thread = {
		.tid = reader->tid, .inner_tid = interp_reader_inner(reader)
	};

	if (t != NULL) {
		thread.block = t->block;
		thread.id = t->id;
		thread.lock = t->lock;
		thread.block_tid = t->block_tid;
	}
	return thread;
}

/* Let the runtime find the block of one thread; stack is a copy, or empty. */
static void
set_root(struct interp *p, struct interp_thread *t,
	 const struct interp_reader *reader, const struct interp_moment *moment,
	 struct str stack, size_t max_reads)
{
	struct interp_listed thread = thread_of(reader, NULL);

	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	p->memory.moment = *moment;
	p->memory.stack = stack;
	p->memory.max_reads = max_reads;
	p->language->root(p->runtime, &p->memory, &thread);
	t->block = thread.block;
	t->id = thread.id;
	t->lock = thread.lock;
}

static void
prepare_root(struct interp *p, struct interp_thread *t,
	     const struct interp_target *target,
	     const struct interp_reader *reader, uint64_t sp)
{
	struct interp_moment moment = { .sp = sp };

	if (p->tid_offset == 0)
		p->tid_offset = interp_tls_tid_offset(target, reader);
	if (t->pointer == 0)
		t->pointer = interp_tls_find(target, reader, p->tid_offset, sp);
	moment.thread_pointer = t->pointer;
	set_root(p, t, reader, &moment, STR(""), INTERP_COPY_READS);
}

void
interp_prepare(struct interp *p, struct interp_thread *t,
	       const struct interp_target *target,
	       const struct interp_reader *reader, uint64_t sp, uint64_t now)
{
	const uint64_t longest = 1000000000, age = t->searched - t->first;

	if (!interp_is_active(p) || t->block != 0 ||
	    (t->searched != 0 &&
	     now - t->searched < (age < longest ? age : longest)))
		return;
	if (t->first == 0)
		t->first = now;
	t->searched = now;
	if (p->language->root != NULL) {
		prepare_root(p, t, target, reader, sp);
		return;
	}
	/* Several threads of a round share a list. */
	if (p->list_time == 0 || now - p->list_time > LIST_NS) {
		read_list(p, reader, INTERP_COPY_READS);
		p->list_time = now;
	}
	set_listed(p, t, reader);
}

/*
 * The block of a thread may have changed: a C thread gets a new one each time
 * it calls the runtime.
 */
static bool
walk_again(struct interp *p, struct interp_thread *t, struct interp_copy *copy,
	   struct interp_stack *s)
{
	const struct interp_reader reader = copy->reader;
	struct interp_listed listed;

	if (p->language->root != NULL) {
		set_root(p, t, &reader, &copy->moment, copy->stack,
			 INTERP_COPY_HELD);
	} else {
		read_list(p, &reader, INTERP_COPY_HELD);
		set_listed(p, t, &reader);
	}
	listed = thread_of(&reader, t);
	return t->block != 0 && p->language->walk(p->runtime, copy, &listed, s);
}

/*
 * Whether a thread without a block executes the runtime, so that it has one by
 * now: its C stack has an address in the loop, or in a library that is the
 * runtime.  If there is none all the same, ask rarely.
 */
static bool
has_begun(const struct interp *p, struct interp_thread *t,
	  const struct interp_copy *copy)
{
	const struct interp_ranges *loops = interp_loops(p);
	uint64_t word = copy->moment.pc;
	size_t i = 0;

	if (p->language == NULL || p->language->root == NULL)
		return false;
	while (word - p->code.start >= p->code.end - p->code.start &&
	       !interp_binary_in(loops, word)) {
		if (i + sizeof(word) > copy->stack.len)
			return false;
		memcpy(&word, copy->stack.p + i, sizeof(word));
		i += sizeof(word);
	}
	if ((t->misses & (t->misses - 1)) == 0)
		return true;
	t->misses++;
	return false;
}

void
interp_walk(struct interp *p, struct interp_thread *t, struct interp_copy *copy,
	    struct interp_stack *s)
{
	const struct interp_listed listed = thread_of(&copy->reader, t);

	interp_stack_clear(s);
	if (copy->moment.thread_pointer != 0)
		t->pointer = copy->moment.thread_pointer;
	copy->moment.thread_pointer = t->pointer;
	if (!interp_is_active(p) || (t->block == 0 && !has_begun(p, t, copy)))
		return;
	copy->max_reads = INTERP_COPY_HELD;
	if (t->block == 0 || !p->language->walk(p->runtime, copy, &listed, s)) {
		interp_stack_clear(s);
		if (walk_again(p, t, copy, s)) {
			t->misses = 0;
		} else {
			interp_stack_clear(s);
			t->block = 0;
			t->misses++;
		}
	}
	interp_copy_end(copy, &t->spans);
}

void
interp_free_steps(struct interp_steps *steps)
{
	interp_stack_free(&steps->stack);
	interp_copy_free_spans(&steps->spans);
}

bool
interp_has_steps(const struct interp *p)
{
	return p != NULL && p->language != NULL && p->language->step != NULL;
}

/* A number of all that a copy has. */
static uint64_t
sum_copy(const struct interp_copy *c)
{
	return hash_seeded(c->bytes.p, c->bytes.len, c->spans.n);
}

bool
interp_begin_steps(struct interp *p, const struct interp_reader *reader,
		   struct interp_steps *steps)
{
	const uint64_t sum = steps->sum;

	interp_copy_begin(&p->steps, reader, &steps->spans, NULL, NULL, 0);
	steps->sum = sum_copy(&p->steps);
	return steps->is_summed && steps->sum == sum;
}

enum unwind_vm
interp_step(struct interp *p, struct interp_steps *steps,
	    struct unwind_vm_frame *f)
{
	return p->language->step(p->runtime, &p->steps, &steps->stack, f);
}

void
interp_end_steps(struct interp *p, struct interp_steps *steps)
{
	/* More was read than the copy began with. */
	steps->is_summed = p->steps.reads <= 1;
	interp_copy_end(&p->steps, &steps->spans);
}

void
interp_name(struct interp *p, const struct interp_reader *reader,
	    struct interp_functions *functions, struct interp_stack *s)
{
	if (p->language != NULL && s->n > 0)
		p->language->find_names(p->runtime, reader, functions, s);
}

void
interp_name_thread(struct interp *p, struct interp_thread *t,
		   const struct interp_reader *reader, uint64_t now)
{
	const uint64_t interval = 1000000000;
	const struct interp_listed thread = thread_of(reader, t);

	if (!interp_is_active(p) || p->language->thread_name == NULL ||
	    t->block == 0 ||
	    (t->name_time != 0 && now - t->name_time < interval))
		return;
	t->name_time = now;
	t->name.len = 0;
	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	p->language->thread_name(p->runtime, &p->memory, &thread, &t->name);
}

uint64_t
interp_lock_owner(struct interp *p, const struct interp_thread *t,
		  const struct interp_reader *reader)
{
	const struct interp_listed thread = thread_of(reader, t);

	if (p->language == NULL || p->language->lock_owner == NULL ||
	    t->block == 0)
		return 0;
	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	return p->language->lock_owner(p->runtime, &p->memory, &thread);
}

void
interp_find_wait(struct interp *p, const struct interp_thread *t,
		 const struct interp_reader *reader,
		 const struct interp_stack *s, struct interp_wait *wait)
{
	const struct interp_listed thread = thread_of(reader, t);

	if (p->language == NULL || p->language->find_wait == NULL ||
	    t->block == 0)
		return;
	interp_copy_begin(&p->memory, reader, NULL, NULL, NULL, 0);
	p->language->find_wait(p->runtime, &p->memory, &thread, s, wait);
}

size_t
interp_report_tasks(struct interp *p, const struct interp_reader *reader,
		    struct interp_functions *functions, uint64_t now,
		    const struct interp_task_receiver *receiver)
{
	return interp_has_tasks(p) ?
		   p->language->report_tasks(p->runtime, reader, functions, now,
					     receiver) :
		   0;
}
