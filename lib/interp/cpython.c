/* cpython.c - CPython, the usual interpreter of Python. */
#include "interp/cpython.h"

#include "interp/cpython_code.h"
#include "interp/cpython_lists.h"
#include "interp/cpython_objects.h"
#include "interp/cpython_tasks.h"
#include "interp/cpython_text.h"
#include "interp/cpython_texts.h"
#include "interp/cpython_walk.h"
#include "interp/interp_tls.h"

#include "base/mem.h"
#include "os/clock.h"

#include <stdlib.h>

/* Interpreters whose threads have names. */
enum { MAX_ACTIVE = 16 };

struct cpython {
	struct cpython_layout layout;
	struct interp_ranges loops;
	uint64_t head; /* address of the first interpreter's address */
	uint64_t gil;  /* of all interpreters; 0: each has its own */
	uint64_t lock; /* 2.7: address of the address of the GIL */
	uint32_t tid;  /* offset of the thread's id from its pthread_t */
	struct cpython_codes *codes;
	/* threading._active of interpreters; when they were found, in ns. */
	uint64_t active[MAX_ACTIVE], active_time;
	size_t nactive;
	struct cpython_tasks *tasks;
	bool looked;                     /* into the interpreter's own file */
	bool has_lists;                  /* of tasks */
	struct interp_stack task_frames; /* scratch, as are these: */
	struct buf task_name, table;
};

enum { MAX_INTERPRETERS = 1024 };

static bool
may_be(struct str file)
{
	return str_search(file, STR("python")) != NULL;
}

/* "python3.11" or "libpython3.11.so.1.0", anywhere in a path. */
static bool
parse_version(struct str path, unsigned *major, unsigned *minor)
{
	const struct str word = STR("python");
	const char *p = str_search(path, word);
	unsigned n;

	for (; p != NULL; p = str_search(path, word)) {
		path = str_range(p + word.len, path.p + path.len);
		if (path.len < 3 || path.p[0] < '2' || path.p[0] > '9' ||
		    path.p[1] != '.' || path.p[2] < '0' || path.p[2] > '9')
			continue;
		*major = (unsigned)(path.p[0] - '0');
		path = str_skip(path, 2);
		for (n = 0; path.len > 0 && *path.p >= '0' && *path.p <= '9' &&
			    n < 1000;
		     path = str_skip(path, 1))
			n = n * 10 + (unsigned)(*path.p - '0');
		*minor = n;
		return true;
	}
	return false;
}

/* The version by the file's own path, or by any other file of the process. */
static bool
guess_version(const struct interp_target *target, size_t map, unsigned *major,
	      unsigned *minor)
{
	size_t i;

	if (parse_version(target->map[map].path, major, minor))
		return true;
	for (i = 0; i < target->n; i++) {
		if (parse_version(target->map[i].path, major, minor))
			return true;
	}
	return false;
}

static bool
read_memory(const struct interp_reader *reader, uint64_t address, void *to,
	    size_t n)
{
	struct interp_copy copy = { 0 };
	bool ok;

	interp_copy_begin(&copy, reader, NULL, NULL, NULL, 0);
	ok = interp_copy_get(&copy, address, to, n, n);
	interp_copy_free(&copy);
	return ok;
}

/* The version by the variable Py_Version; 0: there is none. */
static bool
read_version(const struct interp_reader *reader, uint64_t variable,
	     unsigned *major, unsigned *minor)
{
	uint32_t version;

	if (variable == 0 ||
	    !read_memory(reader, variable, &version, sizeof(version)))
		return false;
	*major = version >> 24;
	*minor = version >> 16 & 0xff;
	return true;
}

/* Set the layout of a version; false with a reason. */
static bool
find_layout(struct cpython_layout *layout, const struct interp_reader *reader,
	    uint64_t runtime, unsigned major, unsigned minor, const char **why)
{
	const unsigned describes_itself = 13;
	const struct cpython_layout *known = cpython_layout_of(major, minor);
	char bytes[CPYTHON_LAYOUT_BYTES];

	*why = "its version is not supported";
	if (major == 3 && minor >= describes_itself) {
		*why = "its memory cannot be read";
		return read_memory(reader, runtime, bytes, sizeof(bytes)) &&
		       cpython_layout_read(layout, bytes, major, minor, why);
	}
	if (known != NULL)
		*layout = *known;
	return known != NULL;
}

/*
 * Up to 3.6 the first interpreter is in interp_head.  Where that is stripped,
 * PyInterpreterState_Head() begins to load it: mov with an offset from the next
 * instruction.
 */
static uint64_t
find_variable(const struct interp_reader *reader, uint64_t variable,
	      uint64_t function)
{
	enum { MOV = 0x8b, SIZE = 7, OPERANDS = 0xc7, RELATIVE = 5 };
	unsigned char code[16];
	int32_t offset;
	size_t i;

	if (variable != 0 || function == 0 ||
	    !read_memory(reader, function, code, sizeof(code)))
		return variable;
	for (i = 0; i + SIZE <= sizeof(code); i++) {
		if (code[i] != 0x48 || code[i + 1] != MOV ||
		    (code[i + 2] & OPERANDS) != RELATIVE)
			continue;
		memcpy(&offset, code + i + 3, sizeof(offset));
		return function + i + SIZE + (uint64_t)(int64_t)offset;
	}
	return 0;
}

/* The memory of a file, from its first mapping to its last. */
static struct interp_range
own_memory(const struct interp_target *target, size_t map)
{
	const struct proc_map *m = &target->map[map];
	struct interp_range r = { m->start, m->end };

	for (; map < target->n; map++) {
		if (str_eq(target->map[map].path, m->path))
			r.end = target->map[map].end;
	}
	return r;
}

/*
 * Find where threads of 2.7 and 3.6 wait for the GIL.  The variables of 3.6 are
 * in no table of a stripped file, that of 2.7 in PyEval_ReleaseLock().
 */
static void
find_old_lock(struct cpython *py, const struct interp_target *target,
	      size_t map, const struct interp_reader *reader)
{
	enum { LOCK = CPYTHON_WAITS, LOCK_CODE, SYMBOLS };
	struct interp_symbol symbol[SYMBOLS] = {
		{ "gil_cond", 0, 0 },
		{ "gil_mutex", 0, 0 },
		{ "switch_cond", 0, 0 },
		{ "switch_mutex", 0, 0 },
		[LOCK] = { "interpreter_lock", 0, 0 },
		[LOCK_CODE] = { "PyEval_ReleaseLock", 0, 0 }
	};
	size_t i;

	if (!interp_binary_find(target, map, symbol, SYMBOLS, NULL, NULL))
		return;
	if (py->layout.major == 2) {
		py->lock = find_variable(reader, symbol[LOCK].address,
					 symbol[LOCK_CODE].address);
		return;
	}
	for (i = 0; i < CPYTHON_WAITS; i++)
		py->layout.waits[i] = symbol[i].address;
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	enum { RUNTIME, VERSION_HEX, CODE, HEAD, HEAD_CODE, CURRENT, SYMBOLS };
	struct interp_symbol symbol[SYMBOLS] = {
		[RUNTIME] = { "_PyRuntime", 0, 0 },
		[VERSION_HEX] = { "Py_Version", 0, 0 },
		[CODE] = { "PyCode_Type", 0, 0 },
		[HEAD] = { "interp_head", 0, 0 },
		[HEAD_CODE] = { "PyInterpreterState_Head", 0, 0 },
		[CURRENT] = { "_PyThreadState_Current", 0, 0 }
	};
	struct cpython py = { .head = 0 }, *found;
	const char *reason;
	unsigned major = 0, minor = 0;

	if (!interp_binary_find(target, map, symbol, SYMBOLS,
				"_PyEval_EvalFrameDefault", &py.loops))
		return NULL;
	/* 2.7 */
	if (py.loops.n == 0)
		interp_binary_find(target, map, NULL, 0, "PyEval_EvalFrameEx",
				   &py.loops);
	if (py.loops.n == 0 || symbol[CODE].address == 0) {
		if (cpython_texts_in(target, map, reader))
			buf_str(why, STR("Python: its program has no symbols"));
		return NULL;
	}
	if (!read_version(reader, symbol[VERSION_HEX].address, &major,
			  &minor) &&
	    !guess_version(target, map, &major, &minor)) {
		buf_str(why, STR("Python: its version is unknown"));
		return NULL;
	}
	if (!find_layout(&py.layout, reader, symbol[RUNTIME].address, major,
			 minor, &reason)) {
		buf_printf(why, "Python %u.%u: %s", major, minor, reason);
		return NULL;
	}
	py.head = py.layout.head != 0 ?
		      symbol[RUNTIME].address + py.layout.head :
		      find_variable(reader, symbol[HEAD].address,
				    symbol[HEAD_CODE].address);
	if (py.layout.gil == CPYTHON_NONE) {
		py.gil = symbol[CURRENT].address;
		find_old_lock(&py, target, map, reader);
	} else if (py.layout.gil != 0) {
		py.gil = symbol[RUNTIME].address + py.layout.gil;
	}
	py.tid = interp_tls_tid_offset(target, reader);
	found = mem_zero(1, sizeof(*found));
	*found = py;
	found->codes = cpython_code_new(&found->layout, symbol[CODE].address,
					own_memory(target, map));
	found->tasks = cpython_tasks_new(&found->layout);
	return found;
}

static void
close_runtime(void *runtime)
{
	struct cpython *py = runtime;

	cpython_code_free(py->codes);
	cpython_tasks_free(py->tasks);
	interp_stack_free(&py->task_frames);
	buf_free(&py->task_name);
	buf_free(&py->table);
	free(py);
}

/*
 * Look for asyncio's module, which is in a file of its own that is loaded when
 * a program imports it, or in the interpreter's.
 */
static void
look(void *runtime, const struct interp_target *target,
     const struct interp_reader *reader)
{
	struct cpython *py = runtime;
	struct cpython_lists lists;
	struct str name;
	size_t i;

	if (!cpython_tasks_are_listed(&py->layout))
		return;
	for (i = 0; i < target->n && !py->has_lists; i++) {
		name = interp_binary_name(target->map[i].path);
		if (target->map[i].offset != 0 ||
		    !(str_starts(name, STR("_asyncio.")) ||
		      (!py->looked && may_be(name))))
			continue;
		py->has_lists = cpython_lists_find(&lists, target, i, reader);
		if (py->has_lists)
			cpython_tasks_set_lists(py->tasks, &lists);
	}
	py->looked = true;
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct cpython *py = runtime;

	return &py->loops;
}

/* Threads. */

/* The kernel's id of a thread, as glibc has it; 0 if it cannot be read. */
static uint32_t
read_pthread_tid(const struct cpython *py, struct interp_copy *memory,
		 uint64_t id)
{
	uint32_t tid;

	return id != 0 && interp_copy_get(memory, id + py->tid, &tid,
					  sizeof(tid), sizeof(tid)) ?
		   tid :
		   0;
}

/*
 * A thread that calls fork() and not Python's os.fork(), as in uWSGI, keeps the
 * id of its parent in its block.  If no block has the id of this thread, look
 * for the block whose struct pthread has.
 */
static void
find_forked(const struct cpython *py, struct interp_copy *memory,
	    struct interp_list *list)
{
	const int64_t tid = interp_reader_inner(&memory->reader);
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (list->thread[i].inner_tid == tid)
			return;
	}
	for (i = 0; i < list->n && memory->reads < memory->max_reads; i++) {
		if (read_pthread_tid(py, memory, list->thread[i].id) == tid) {
			list->thread[i].inner_tid = tid;
			return;
		}
	}
}

/* Add a thread and return the next one; 0 at the end. */
static uint64_t
list_thread(const struct cpython *py, struct interp_copy *memory,
	    uint64_t block, uint64_t gil, struct interp_list *list)
{
	const struct cpython_layout *l = &py->layout;
	const uint64_t id = interp_copy_word(memory, block + l->thread.id);
	uint64_t tid;

	if (l->thread.native_id != CPYTHON_NONE)
		tid = interp_copy_word(memory, block + l->thread.native_id);
	else
		tid = read_pthread_tid(py, memory, id);
	if (tid > 0 && tid <= INT32_MAX &&
	    interp_list_add(list, (int64_t)tid, block, id))
		list->thread[list->n - 1].lock = gil;
	return interp_copy_word(memory, block + l->thread.next);
}

static void
list_threads(void *runtime, struct interp_copy *memory,
	     struct interp_list *list)
{
	struct cpython *py = runtime;
	const struct cpython_layout *l = &py->layout;
	uint64_t interpreter = interp_copy_word(memory, py->head), block, gil;
	char bytes[1040];
	int i, threads = 0;

	/* The GIL of 2.7 is made with the second thread. */
	if (py->lock != 0)
		py->layout.waits[0] = interp_copy_word(memory, py->lock);
	/* A list that changes meanwhile may become a ring. */
	for (i = 0; interpreter != 0 && i < MAX_INTERPRETERS; i++) {
		gil = py->gil;
		if (gil == 0 && l->interp.gil != CPYTHON_NONE)
			gil = interp_copy_word(memory,
					       interpreter + l->interp.gil);
		block = interp_copy_word(memory,
					 interpreter + l->interp.threads);
		while (block != 0 && memory->reads < memory->max_reads &&
		       interp_copy_get(memory, block, bytes, l->thread.size,
				       l->thread.size) &&
		       threads++ < INTERP_LIST_MAX)
			block = list_thread(py, memory, block, gil, list);
		interpreter = interp_copy_word(memory,
					       interpreter + l->interp.next);
	}
	if (l->thread.native_id != CPYTHON_NONE)
		find_forked(py, memory, list);
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	const struct cpython *py = runtime;

	return cpython_walk(&py->layout, copy, thread, s);
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct cpython *py = runtime;

	cpython_code_name(py->codes, reader, functions, s);
}

/* A name that threading has made: Thread-1, Thread-1 (work), Dummy-2. */
static bool
is_default_name(struct str name)
{
	const struct str made[] = { STR("Thread-"), STR("Dummy-") };
	size_t i;

	for (i = 0; i < sizeof(made) / sizeof(*made); i++) {
		if (str_starts(name, made[i]) && name.len > made[i].len &&
		    name.p[made[i].len] >= '0' && name.p[made[i].len] <= '9')
			return true;
	}
	return str_eq(name, STR("MainThread"));
}

/* Find threading._active, the threads by their ids. */
static void
find_active(struct cpython *py, struct cpython_objects *o)
{
	const uint64_t interval = 1000000000, now = clock_ns(CLOCK_MONOTONIC);
	uint64_t interpreter = interp_copy_word(o->memory, py->head), module;
	int i;

	if (py->active_time != 0 && now - py->active_time < interval)
		return;
	py->active_time = now;
	py->nactive = 0;
	for (i = 0; interpreter != 0 && i < MAX_ACTIVE; i++) {
		module = cpython_objects_module(o, interpreter,
						STR("threading"));
		if (module != 0)
			py->active[py->nactive++] = cpython_objects_find(
			    o, module, STR("_active"));
		interpreter = interp_copy_word(
		    o->memory, interpreter + py->layout.interp.next);
	}
}

/* The name of a thread, as an interpreter has it. */
static void
read_name(struct cpython *py, struct cpython_objects *o, uint64_t active,
	  uint64_t id, struct buf *name)
{
	const struct str attribute = py->layout.major == 2 ?
					 STR("_Thread__name") :
					 STR("_name");
	uint64_t object = cpython_objects_find_int(o, active, id);

	object = cpython_objects_attribute(o, object, attribute);
	if (object != 0)
		cpython_text_read(&py->layout, o->memory, object, name);
	if (is_default_name(buf_slice(name)))
		name->len = 0;
}

static uint64_t
lock_owner(const void *runtime, struct interp_copy *memory,
	   const struct interp_listed *thread)
{
	const struct cpython *py = runtime;

	return cpython_walk_lock_owner(&py->layout, memory, thread);
}

static void
thread_name(void *runtime, struct interp_copy *memory,
	    const struct interp_listed *thread, struct buf *name)
{
	struct cpython *py = runtime;
	struct cpython_objects o = { &py->layout, memory, py->table };
	size_t i;

	find_active(py, &o);
	for (i = 0; i < py->nactive && name->len == 0; i++)
		read_name(py, &o, py->active[i], thread->id, name);
	py->table = o.table;
}

/* Tasks. */

static size_t
report_tasks(void *runtime, const struct interp_reader *reader,
	     struct interp_functions *functions, uint64_t now,
	     const struct interp_task_receiver *receiver)
{
	struct cpython *py = runtime;
	struct interp_stack *s = &py->task_frames;
	const struct cpython_task *t;
	struct interp_task task = { .kind = STR("asyncio-task") };
	size_t i, n;

	cpython_tasks_begin(py->tasks, reader, py->head, now);
	while ((n = cpython_tasks_next(py->tasks, s, &t)) > 0) {
		cpython_code_name(py->codes, reader, functions, s);
		for (i = 0; i < n; i++) {
			if (receiver->with_names)
				cpython_tasks_name(py->tasks, &t[i],
						   &py->task_name);
			task.name = buf_slice(&py->task_name);
			task.ready = t[i].ready;
			task.frame = s->frame + t[i].begin;
			task.n = t[i].end - t[i].begin;
			receiver->task(receiver->arg, &task);
		}
	}
	return cpython_tasks_unread(py->tasks);
}

const struct interp_language cpython_language = {
	.may_be = may_be,
	.open = open_runtime,
	.close = close_runtime,
	.look = look,
	.loops = loops,
	.list = list_threads,
	.walk = walk,
	.find_names = find_names,
	.lock_owner = lock_owner,
	.thread_name = thread_name,
	.report_tasks = report_tasks
};
