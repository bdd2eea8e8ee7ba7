/* cpython.c - CPython, the usual interpreter of Python. */
#include "interp/cpython.h"

#include "interp/cpython_code.h"
#include "interp/cpython_walk.h"
#include "interp/interp_tls.h"

#include "base/mem.h"

#include <stdlib.h>

struct cpython {
	struct cpython_layout layout;
	struct interp_ranges loops;
	uint64_t head; /* address of the first interpreter's address */
	uint64_t gil;  /* of all interpreters; 0: each has its own */
	uint32_t tid;  /* offset of the thread's id from its pthread_t */
	struct cpython_codes *codes;
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
 * PyInterpreterState_Head() begins to load it: mov or lea with an offset from
 * the next instruction.
 */
static uint64_t
find_head(const struct interp_reader *reader, uint64_t variable,
	  uint64_t function)
{
	enum { MOV = 0x8b, SIZE = 7 };
	unsigned char code[16];
	int32_t offset;
	size_t i;

	if (variable != 0 || function == 0 ||
	    !read_memory(reader, function, code, sizeof(code)))
		return variable;
	for (i = 0; i + SIZE <= sizeof(code); i++) {
		if (code[i] != 0x48 || code[i + 1] != MOV ||
		    code[i + 2] != 0x05)
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
	uint32_t version;
	unsigned major = 0, minor = 0;

	if (!interp_binary_find(target, map, symbol, SYMBOLS,
				"_PyEval_EvalFrameDefault", &py.loops))
		return NULL;
	/* 2.7 */
	if (py.loops.n == 0)
		interp_binary_find(target, map, NULL, 0, "PyEval_EvalFrameEx",
				   &py.loops);
	if (py.loops.n == 0 || symbol[CODE].address == 0)
		return NULL;
	if (symbol[VERSION_HEX].address != 0 &&
	    read_memory(reader, symbol[VERSION_HEX].address, &version,
			sizeof(version))) {
		major = version >> 24;
		minor = version >> 16 & 0xff;
	} else if (!guess_version(target, map, &major, &minor)) {
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
		      find_head(reader, symbol[HEAD].address,
				symbol[HEAD_CODE].address);
	if (py.layout.gil == CPYTHON_NONE)
		py.gil = symbol[CURRENT].address;
	else if (py.layout.gil != 0)
		py.gil = symbol[RUNTIME].address + py.layout.gil;
	if (py.layout.thread.native_id == CPYTHON_NONE)
		py.tid = interp_tls_tid_offset(target, reader);
	found = mem_zero(1, sizeof(*found));
	*found = py;
	found->codes = cpython_code_new(&found->layout, symbol[CODE].address,
					own_memory(target, map));
	return found;
}

static void
close_runtime(void *runtime)
{
	struct cpython *py = runtime;

	cpython_code_free(py->codes);
	free(py);
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct cpython *py = runtime;

	return &py->loops;
}

/* Threads. */

static uint64_t
read_pointer(struct interp_copy *memory, uint64_t address)
{
	uint64_t p;

	return address != 0 && interp_copy_get(memory, address, &p, sizeof(p),
					       sizeof(p)) ?
		   p :
		   0;
}

/* Add a thread and return the next one; 0 at the end. */
static uint64_t
list_thread(const struct cpython *py, struct interp_copy *memory,
	    uint64_t block, uint64_t gil, struct interp_list *list)
{
	const struct cpython_layout *l = &py->layout;
	const uint64_t id = read_pointer(memory, block + l->thread.id);
	uint64_t tid = 0;
	uint32_t number;

	if (l->thread.native_id != CPYTHON_NONE)
		tid = read_pointer(memory, block + l->thread.native_id);
	else if (id != 0 && interp_copy_get(memory, id + py->tid, &number,
					    sizeof(number), sizeof(number)))
		tid = number;
	if (tid > 0 && tid <= INT32_MAX &&
	    interp_list_add(list, (int64_t)tid, block, id))
		list->thread[list->n - 1].lock = gil;
	return read_pointer(memory, block + l->thread.next);
}

static void
list_threads(void *runtime, struct interp_copy *memory,
	     struct interp_list *list)
{
	const struct cpython *py = runtime;
	const struct cpython_layout *l = &py->layout;
	uint64_t interpreter = read_pointer(memory, py->head), block, gil;
	char bytes[1040];
	int i, threads = 0;

	/* A list that changes meanwhile may become a ring. */
	for (i = 0; interpreter != 0 && i < MAX_INTERPRETERS; i++) {
		gil = py->gil;
		if (gil == 0 && l->interp.gil != CPYTHON_NONE)
			gil = read_pointer(memory, interpreter + l->interp.gil);
		block = read_pointer(memory, interpreter + l->interp.threads);
		while (block != 0 && memory->reads < memory->max_reads &&
		       interp_copy_get(memory, block, bytes, l->thread.size,
				       l->thread.size) &&
		       threads++ < INTERP_LIST_MAX)
			block = list_thread(py, memory, block, gil, list);
		interpreter = read_pointer(memory,
					   interpreter + l->interp.next);
	}
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

const struct interp_language cpython_language = { .may_be = may_be,
						  .open = open_runtime,
						  .close = close_runtime,
						  .loops = loops,
						  .list = list_threads,
						  .walk = walk,
						  .find_names = find_names };
