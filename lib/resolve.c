/* resolve.c - what code an address is, of which process, at which time. */
#include "resolve.h"

#include "dso.h"
#include "intern.h"
#include "kernel.h"
#include "mem.h"
#include "unwind.h"

#include <stdlib.h>

/* Recent answers; more than the second level cache holds would not pay. */
#define RECENT ((size_t)1 << 14)

struct recent {
	uint64_t address;
	uint32_t key; /* view's number, and whether it is a return; 0: none */
	uint32_t code;
};

struct resolver {
	struct resolve_options options;
	struct processes *processes;
	struct dsos *dsos;
	struct kernel *kernel;

	/* The moment. */
	int64_t pid;
	uint64_t when;
	bool executes;         /* as the kernel's frames say */
	struct view view;      /* of the process */
	uint32_t kernel_views; /* which change as it loads programs */

	struct recent *recent;
	struct intern *keys; /* of codes */
	struct code **code;
	size_t cap;
	struct arena arena;
	struct buf key;
};

struct resolver *
resolver_new(const struct resolve_options *options, struct processes *processes,
	     const struct perf_features *features)
{
	struct resolver *r = mem_zero(1, sizeof(*r));
	struct dso_options dso = { options->symfs, options->debug_dir,
				   options->mangled };

	r->options = *options;
	r->processes = processes;
	r->dsos = dsos_new(&dso, features);
	r->kernel = kernel_new(options->kallsyms, options->symfs == NULL,
			       processes);
	r->recent = mem_zero(RECENT, sizeof(*r->recent));
	r->keys = intern_new();
	return r;
}

void
resolver_free(struct resolver *r)
{
	dsos_free(r->dsos);
	kernel_free(r->kernel);
	intern_free(r->keys);
	free(r->recent);
	free(r->code);
	arena_free(&r->arena);
	buf_free(&r->key);
	free(r);
}

void
resolver_at(struct resolver *r, int64_t pid, uint64_t when)
{
	r->pid = pid;
	r->when = when;
	r->executes = false;
	r->view = (struct view){ .number = 1 };
	if (pid >= 0)
		r->view = processes_view(r->processes, pid, when);
	r->kernel_views =
	    processes_view(r->processes, PROCESS_SYMBOLS, when).number;
}

/* The code of a name in a module; there is one for equal ones. */
static const struct code *
intern_code(struct resolver *r, struct str name, struct str module,
	    enum code_kind kind)
{
	uint32_t n = intern_size(r->keys), number;
	struct code *c;
	struct str key;

	r->key.len = 0;
	buf_char(&r->key, (char)kind);
	buf_add(&r->key, &module.len, sizeof(module.len));
	buf_str(&r->key, module);
	buf_str(&r->key, name);
	number = intern_id(r->keys, buf_slice(&r->key));
	if (number < n)
		return r->code[number];
	key = str_skip(intern_name(r->keys, number), 1 + sizeof(module.len));
	c = arena_alloc(&r->arena, sizeof(*c));
	*c = (struct code){ .number = number,
			    .name = str_skip(key, module.len),
			    .module = { key.p, module.len },
			    .kind = kind };
	c->executes = kind == CODE_KERNEL &&
		      str_eq(c->name, STR("bprm_execve"));
	r->code = mem_grow(r->code, &r->cap, n + 1, sizeof(struct code *));
	return r->code[number] = c;
}

/*
 * Code to which no call returns: it is where a signal handler or a probed
 * function returns, as the kernel arranged it, and it begins there.
 */
static bool
is_trampoline(struct str name)
{
	return str_eq(name, STR("__restore_rt")) ||
	       str_eq(name, STR("__restore")) ||
	       str_eq(name, STR("__kernel_rt_sigreturn")) ||
	       str_eq(name, STR("__kernel_sigreturn"));
}

static bool
is_trampoline_page(const struct mapping *m)
{
	return str_eq(m->file->path, STR("[uprobes]")) ||
	       str_eq(m->file->path, STR("[vdso]"));
}

static const struct mapping *
find_mapping(const struct resolver *r, uint64_t address)
{
	const struct mapping *m = space_find(r->view.space, address);

	/* In execve(2), the caller's memory goes, but not its address. */
	if (m == NULL && r->executes)
		m = space_find(r->view.before, address);
	return m;
}

static const struct code *
user_code(struct resolver *r, uint64_t address, bool is_return)
{
	const struct mapping *m = find_mapping(r, address);
	struct dso_symbol symbol = { 0 };

	if (is_return && m != NULL && !is_trampoline_page(m) &&
	    dso_find(r->dsos, m, address, &symbol) && symbol.start == address &&
	    is_trampoline(symbol.name))
		is_return = false;
	if (is_return && (m == NULL || !is_trampoline_page(m)))
		m = find_mapping(r, --address);
	if (m == NULL)
		return intern_code(r, STR(""), STR(""), CODE_USER);
	if (!dso_find(r->dsos, m, address, &symbol))
		symbol.name = STR("");
	return intern_code(r, symbol.name, dso_name(r->dsos, m->file),
			   symbol.jit ? CODE_JIT : CODE_USER);
}

static const struct code *
kernel_code(struct resolver *r, uint64_t address, bool is_return)
{
	struct str module, name;

	name = kernel_find(r->kernel, address - is_return, r->when, &module);
	return intern_code(r, name, module, CODE_KERNEL);
}

static struct recent *
recent(const struct resolver *r, uint64_t address, uint32_t key)
{
	uint64_t h = (address ^ (uint64_t)key << 40) * 0x9e3779b97f4a7c15u;

	return &r->recent[h >> 50 & (RECENT - 1)];
}

const struct code *
resolve(struct resolver *r, enum resolve_mode mode, uint64_t address,
	bool is_return)
{
	const struct code *code;
	struct recent *p;
	uint32_t key;

	is_return &= !r->options.exact;
	key = mode == RESOLVE_USER ? r->view.number << 2 :
				     r->kernel_views << 2 | 2;
	key |= is_return;
	p = recent(r, address, key);
	if (p->key == key && p->address == address && !r->executes)
		return r->code[p->code];
	if (mode == RESOLVE_USER)
		code = user_code(r, address, is_return);
	else if (mode == RESOLVE_KERNEL)
		code = kernel_code(r, address, is_return);
	else
		return intern_code(r, STR(""), STR(""), CODE_KERNEL);
	r->executes |= code->executes;
	/* What is known only while it executes is not for others. */
	if (!r->executes)
		*p = (struct recent){ address, key, code->number };
	return code;
}

const struct code *
resolver_mark(struct resolver *r, struct str name)
{
	return intern_code(r, name, STR(""), CODE_USER);
}

bool
resolve_is_entry(const struct code *code)
{
	return str_starts(code->name, STR("asm_"));
}

/* Unwinding. */

static bool
unwind_map(void *arg, uint64_t address, struct unwind_map *map)
{
	struct resolver *r = arg;
	const struct mapping *m = find_mapping(r, address);

	if (m == NULL)
		return false;
	*map = (struct unwind_map){ .start = m->start, .end = m->end };
	map->cfi = dso_cfi(r->dsos, m, address, &map->bias);
	return true;
}

static bool
unwind_read(void *arg, uint64_t address, void *to, size_t n)
{
	struct resolver *r = arg;
	const struct mapping *m = find_mapping(r, address);

	return m != NULL && n <= m->end - address &&
	       dso_read(r->dsos, m, address, to, n);
}

void
resolver_unwind(struct resolver *r, struct unwind_thread *thread)
{
	thread->space = r->view.number;
	thread->trampoline = processes_trampoline(r->processes, r->pid);
	thread->map = unwind_map;
	thread->read = unwind_read;
	thread->arg = r;
}

bool
resolver_note(struct resolver *r, struct buf *line)
{
	return kernel_note(r->kernel, line) || dsos_note(r->dsos, line);
}
