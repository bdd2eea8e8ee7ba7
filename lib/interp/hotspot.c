/* hotspot.c - HotSpot, the virtual machine of OpenJDK, which executes Java. */
#include "interp/hotspot.h"

#include "base/mem.h"
#include "interp/hotspot_virtual.h"
#include "interp/hotspot_waits.h"
#include "interp/hotspot_walk.h"

#include <elf.h>
#include <stdlib.h>

struct hotspot {
	struct hotspot_layout layout;
	struct interp_ranges loops; /* none: frames say where they are */
	struct hotspot_walker walker;
	struct hotspot_threads threads;
	struct hotspot_waits waits;
	struct interp_copy memory; /* for names */
	struct hotspot_virtual *virtual;
	struct interp_stack stack; /* of a virtual thread */
	struct buf name, lock;     /* the same */
};

/* How often memory is read for the names of one sample. */
enum { MAX_NAME_READS = 20000 };

static bool
may_be(struct str file)
{
	return str_eq(file, STR("libjvm.so"));
}

static void
close_runtime(void *runtime)
{
	struct hotspot *h = runtime;

	hotspot_code_free(h->walker.code);
	hotspot_methods_free(h->walker.methods);
	hotspot_scopes_free(&h->walker.scopes);
	hotspot_waits_free(&h->waits);
	intern_free(h->walker.stubs);
	hotspot_virtual_free(h->virtual);
	interp_stack_free(&h->stack);
	buf_free(&h->name);
	buf_free(&h->lock);
	interp_copy_free(&h->memory);
	free(h);
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	struct hotspot_layout layout;
	struct hotspot *h;

	if (arch_host() == NULL || arch_host()->machine != EM_X86_64) {
		buf_str(why, STR("a Java VM, whose frames are supported on "
				 "x86-64 only"));
		return NULL;
	}
	if (!hotspot_layout_read(&layout, target, map, reader, why))
		return NULL;
	h = mem_zero(1, sizeof(*h));
	h->layout = layout;
	h->walker.l = &h->layout;
	h->walker.code = hotspot_code_new(&h->layout);
	h->walker.methods = hotspot_methods_new(&h->layout);
	hotspot_methods_trust(h->walker.methods);
	h->walker.stubs = intern_new();
	h->virtual = hotspot_virtual_new(&h->walker);
	return h;
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct hotspot *h = runtime;

	return &h->loops;
}

/* For the names of threads; frames need none of this. */
static void
list(void *runtime, struct interp_copy *memory, struct interp_list *l)
{
	const struct hotspot *h = runtime;

	hotspot_threads_list(&h->layout, memory, l);
}

static void
thread_name(void *runtime, struct interp_copy *memory,
	    const struct interp_listed *thread, struct buf *name)
{
	struct hotspot *h = runtime;

	hotspot_threads_name(&h->threads, &h->layout, memory, thread, name);
}

static bool
has_virtual(const void *runtime)
{
	const struct hotspot *h = runtime;

	return hotspot_methods_has_virtual(h->walker.methods);
}

static void
find_wait(void *runtime, struct interp_copy *memory,
	  const struct interp_listed *thread, const struct interp_stack *s,
	  struct interp_wait *wait)
{
	struct hotspot *h = runtime;
	struct hotspot_wait_query q = {
		.l = &h->layout,
		.objects = hotspot_threads_objects(&h->threads, &h->layout,
						   memory),
		.memory = memory,
		.thread = thread->block,
	};
	size_t i = 0;

	if (!hotspot_threads_has(&h->layout, memory, thread))
		return;
	while (i < s->n && s->frame[i].context == HOTSPOT_WALK_STUB)
		i++;
	if (i < s->n)
		q.method = hotspot_methods_name(h->walker.methods, memory,
						s->frame[i].code);
	hotspot_waits_find(&h->waits, &q, wait);
}

/* Frames are found while the native stack is unwound. */
static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	(void)runtime;
	(void)copy;
	(void)thread;
	(void)s;
	return true;
}

static enum unwind_vm
step(void *runtime, struct interp_copy *memory, struct interp_stack *s,
     struct unwind_vm_frame *f)
{
	struct hotspot *h = runtime;

	return hotspot_walk_step(&h->walker, memory, s, f);
}

static void
name_frame(struct hotspot *h, struct interp_functions *functions,
	   struct interp_vm_frame *f)
{
	const enum hotspot_tier tier = (enum hotspot_tier)f->context;

	f->line = 0;
	if (f->context == HOTSPOT_WALK_STUB) {
		f->function = interp_functions_add(
		    functions, STR("java"),
		    intern_name(h->walker.stubs, (uint32_t)f->code), STR(""));
		return;
	}
	f->function = hotspot_methods_function(h->walker.methods, &h->memory,
					       functions, f->code, tier);
	f->line = hotspot_methods_line(h->walker.methods, &h->memory, f->code,
				       f->ip);
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct hotspot *h = runtime;
	size_t i;

	interp_copy_begin(&h->memory, reader, NULL, NULL, NULL, 0);
	h->memory.max_reads = MAX_NAME_READS;
	for (i = 0; i < s->n; i++)
		name_frame(h, functions, &s->frame[i]);
}

static bool
lacks_virtual(const void *runtime)
{
	const struct hotspot *h = runtime;

	return hotspot_virtual_is_partial(h->virtual);
}

/* Whether one of the innermost methods is Thread.sleep(). */
static bool
sleeps(struct hotspot *h)
{
	const size_t most = 16;
	size_t i;

	for (i = 0; i < h->stack.n && i < most; i++) {
		if (str_starts(hotspot_methods_name(h->walker.methods,
						    &h->memory,
						    h->stack.frame[i].code),
			       STR("java/lang/Thread.sleep")))
			return true;
	}
	return false;
}

static void
report_virtual(struct hotspot *h, const struct hotspot_objects *o,
	       const struct hotspot_virtual_thread *t,
	       const struct interp_task_receiver *receiver)
{
	struct interp_task task = { .kind = STR("virtual-thread"),
				    .ready = t->ready,
				    .wait = t->wait,
				    .frame = h->stack.frame,
				    .n = h->stack.n };

	h->name.len = h->lock.len = 0;
	if (t->lock != 0)
		hotspot_objects_class_name(
		    &h->layout, &h->memory,
		    hotspot_objects_class(o, &h->memory, t->lock), &h->lock);
	else if (!t->ready && str_eq(t->wait, STR("park")) && sleeps(h))
		task.wait = STR("sleep");
	if (receiver->with_names &&
	    !hotspot_objects_thread_name(o, &h->memory, t->address, &h->name))
		buf_printf(&h->name, "virtual thread %llu",
			   (unsigned long long)t->id);
	task.name = buf_slice(&h->name);
	task.lock = buf_slice(&h->lock);
	receiver->task(receiver->arg, &task);
}

static size_t
report_tasks(void *runtime, const struct interp_reader *reader,
	     struct interp_functions *functions, uint64_t now,
	     const struct interp_task_receiver *receiver)
{
	struct hotspot *h = runtime;
	const struct hotspot_objects *o;
	struct hotspot_virtual_thread t;

	interp_copy_begin(&h->memory, reader, NULL, NULL, NULL, 0);
	o = hotspot_threads_objects(&h->threads, &h->layout, &h->memory);
	if (o == NULL)
		return 0;
	hotspot_virtual_begin(h->virtual, o, reader, now);
	while (hotspot_virtual_next(h->virtual, &h->stack, &t)) {
		find_names(h, reader, functions, &h->stack);
		report_virtual(h, o, &t, receiver);
	}
	return hotspot_virtual_unread(h->virtual);
}

const struct interp_language hotspot_language = {
	.may_be = may_be,
	.open = open_runtime,
	.close = close_runtime,
	.loops = loops,
	.list = list,
	.walk = walk,
	.step = step,
	.find_names = find_names,
	.find_wait = find_wait,
	.thread_name = thread_name,
	.has_virtual = has_virtual,
	.lacks_virtual = lacks_virtual,
	.report_tasks = report_tasks
};
