/* ruby.c - Ruby, the interpreter in C that its authors make. */
#include "interp/ruby.h"

#include "base/mem.h"
#include "interp/interp_tls.h"
#include "interp/ruby_layout.h"
#include "interp/ruby_names.h"
#include "interp/ruby_walk.h"

#include <stdlib.h>

struct ruby {
	const struct ruby_layout *layout;
	struct interp_ranges loops;
	uint64_t vm; /* address of the VM's address; 0 until it is found */
	struct interp_range data; /* where it is, if it is not exported */
	uint32_t tid; /* offset of the thread's id from its pthread_t */
	struct ruby_names *names;
};

enum { MAX_RACTORS = 1024, MAX_THREADS = 16384 };

/* Bytes of variables that are searched. */
enum { DATA = 1 << 18 };

static bool
may_be(struct str file)
{
	return str_search(file, STR("ruby")) != NULL;
}

/* "3.1.7" */
static bool
read_version(struct interp_copy *memory, uint64_t address, unsigned *major,
	     unsigned *minor)
{
	char text[5];

	if (!interp_copy_read(memory, address, text, sizeof(text)) ||
	    text[0] < '1' || text[0] > '9' || text[1] != '.' || text[2] < '0' ||
	    text[2] > '9' || text[3] != '.')
		return false;
	*major = (unsigned)(text[0] - '0');
	*minor = (unsigned)(text[2] - '0');
	return true;
}

/* The variables of the file that a mapping begins, with .bss. */
static struct interp_range
find_data(const struct interp_target *target, size_t map)
{
	const struct proc_map *m = &target->map[map], *own = m;
	const struct proc_map *end = target->map + target->n;
	struct interp_range data = { 0, 0 };

	for (; m < end && data.end == 0; m++) {
		if (str_eq(m->path, own->path) && m->prot.p[1] == 'w')
			data = (struct interp_range){ m->start, m->end };
	}
	if (m < end && data.end == m->start && m->path.len == 0 &&
	    m->prot.p[1] == 'w')
		data.end = m->end;
	return data;
}

/*
 * Libraries since 3.3 export neither the VM nor its loop.  The latter is the
 * largest function that the evaluation of a program calls.
 */
static void
find_hidden(const struct interp_target *target, size_t map, struct ruby *rb,
	    uint64_t eval)
{
	if (rb->vm == 0)
		rb->data = find_data(target, map);
	if (rb->loops.n == 0 && eval != 0)
		interp_binary_called(target, map, eval, &rb->loops);
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	enum { RELEASE, VM, EVAL, TABLE, OLD_TABLE, SYMBOLS };
	struct interp_symbol symbol[SYMBOLS] = {
		[RELEASE] = { "ruby_version", 0, 0 },
		[VM] = { "ruby_current_vm_ptr", 0, 0 },
		[EVAL] = { "rb_iseq_eval_main", 0, 0 },
		[TABLE] = { "ruby_global_symbols", 0, 0 },
		[OLD_TABLE] = { "global_symbols", 0, 0 }
	};
	struct interp_copy copy = { 0 };
	uint64_t symbols;
	struct ruby rb = { .vm = 0 }, *found = NULL;
	unsigned major, minor;

	if (!interp_binary_find(target, map, symbol, SYMBOLS, "rb_vm_exec",
				&rb.loops) ||
	    symbol[RELEASE].address == 0)
		return NULL;
	rb.vm = symbol[VM].address;
	interp_copy_begin(&copy, reader, NULL, NULL, NULL, 0);
	if (!read_version(&copy, symbol[RELEASE].address, &major, &minor)) {
		buf_str(why, STR("Ruby: its version is unknown"));
		goto out;
	}
	rb.layout = ruby_layout_of(major, minor);
	if (rb.layout == NULL) {
		buf_printf(why, "Ruby %u.%u: its version is not supported",
			   major, minor);
		goto out;
	}
	find_hidden(target, map, &rb, symbol[EVAL].address);
	symbols = symbol[TABLE].address != 0 ? symbol[TABLE].address :
					       symbol[OLD_TABLE].address;
	if (rb.layout->thread.pthread != RUBY_NONE)
		rb.tid = interp_tls_tid_offset(target, reader);
	found = mem_zero(1, sizeof(*found));
	*found = rb;
	found->names = ruby_names_new(
	    rb.layout, symbols, rb.vm != 0 ? rb.vm : rb.data.start + DATA / 2);
out:
	interp_copy_free(&copy);
	return found;
}

static void
close_runtime(void *runtime)
{
	struct ruby *rb = runtime;

	ruby_names_free(rb->names);
	free(rb);
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct ruby *rb = runtime;

	return &rb->loops;
}

/* Threads. */

static uint64_t
read_pointer(struct interp_copy *memory, uint64_t address)
{
	uint64_t p;

	return address % 8 == 0 && address > 4096 &&
		       interp_copy_read(memory, address, &p, sizeof(p)) ?
		   p :
		   0;
}

/* Whether the first thread of the first ractor of a VM belongs to both. */
static bool
is_vm(const struct ruby_layout *l, struct interp_copy *memory, uint64_t vm)
{
	enum { THREAD_RACTOR = 24, THREAD_VM = 32 };
	const uint64_t node = read_pointer(memory, vm + l->ractors);
	const uint64_t ractor = node - l->ractor.node;
	const uint64_t thread =
	    node == 0 ? 0 : read_pointer(memory, ractor + l->ractor.threads);
	const uint64_t ec = thread == 0 ?
				0 :
				read_pointer(memory, thread + l->thread.ec);

	return ec != 0 && read_pointer(memory, ec + l->ec_thread) == thread &&
	       read_pointer(memory, thread + THREAD_RACTOR) == ractor &&
	       read_pointer(memory, thread + THREAD_VM) == vm;
}

/* Search for the VM's address; 0 if it is not there, or not yet. */
static uint64_t
find_vm(const struct ruby *rb, struct interp_copy *memory)
{
	enum { PAGE = 4096 };
	const struct interp_range d = rb->data;
	uint64_t at, word[PAGE / sizeof(uint64_t)];
	size_t i;

	if (rb->layout->ractors == RUBY_NONE)
		return 0;
	for (at = d.start; at < d.end && at - d.start < DATA; at += PAGE) {
		if (!interp_copy_read(memory, at, word, sizeof(word)))
			continue;
		for (i = 0; i < sizeof(word) / sizeof(*word); i++) {
			if (word[i] - d.start >= d.end - d.start &&
			    is_vm(rb->layout, memory, word[i]))
				return at + i * sizeof(*word);
		}
	}
	return 0;
}

static void
list_thread(const struct ruby *rb, struct interp_copy *memory, uint64_t thread,
	    struct interp_list *list)
{
	const struct ruby_layout *l = rb->layout;
	uint64_t id = 0, at = thread;
	uint32_t tid = 0;

	if (l->thread.native != RUBY_NONE)
		id = at = read_pointer(memory, thread + l->thread.native);
	if (l->thread.pthread != RUBY_NONE) {
		id = read_pointer(memory, thread + l->thread.pthread);
		at = id + rb->tid;
	} else {
		at += l->thread.tid;
	}
	if (interp_copy_read(memory, at, &tid, sizeof(tid)) && tid > 0 &&
	    tid <= INT32_MAX)
		interp_list_add(list, tid, thread, id);
}

static void
list_ractor(const struct ruby *rb, struct interp_copy *memory, uint64_t ractor,
	    struct interp_list *list)
{
	const uint64_t head = ractor + rb->layout->ractor.threads;
	uint64_t node = read_pointer(memory, head);
	int i;

	/* A list that changes meanwhile may become a ring. */
	for (i = 0; node != 0 && node != head && i < MAX_THREADS; i++) {
		list_thread(rb, memory, node, list);
		node = read_pointer(memory, node);
	}
}

static void
list_threads(void *runtime, struct interp_copy *memory,
	     struct interp_list *list)
{
	struct ruby *rb = runtime;
	const struct ruby_layout *l = rb->layout;
	uint64_t vm, head, node;
	int i;

	if (rb->vm == 0)
		rb->vm = find_vm(rb, memory);
	vm = read_pointer(memory, rb->vm);
	if (vm == 0)
		return;
	if (l->ractors == RUBY_NONE) {
		list_ractor(rb, memory, vm, list);
		return;
	}
	head = vm + l->ractors;
	node = read_pointer(memory, head);
	for (i = 0; node != 0 && node != head && i < MAX_RACTORS; i++) {
		list_ractor(rb, memory, node - l->ractor.node, list);
		node = read_pointer(memory, node);
	}
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	const struct ruby *rb = runtime;

	return ruby_walk(rb->layout, copy, thread, s);
}

static uint64_t
lock_owner(const void *runtime, struct interp_copy *memory,
	   const struct interp_listed *thread)
{
	const struct ruby *rb = runtime;

	return ruby_walk_lock_owner(rb->layout, memory, thread);
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct ruby *rb = runtime;

	ruby_names_find(rb->names, reader, functions, s);
}

const struct interp_language ruby_language = { .may_be = may_be,
					       .open = open_runtime,
					       .close = close_runtime,
					       .loops = loops,
					       .list = list_threads,
					       .walk = walk,
					       .find_names = find_names,
					       .lock_owner = lock_owner };
