/* resolve.c - what code an address is, of which process, at which time. */
#include "resolve.h"

#include "dso.h"
#include "hash.h"
#include "jit.h"
#include "kernel.h"
#include "mem.h"
#include "spots.h"
#include "unwind.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * Recent answers: 2 MB, one huge page.  That is more than most caches hold, but
 * what is expected is on its way from memory before it is asked for.
 */
#define RECENT ((size_t)1 << 17)

struct recent {
	uint64_t address;
	uint32_t key; /* view's number, and whether it is a return; 0: none */
	uint32_t code;
};

/* Where spots are: files by their numbers, but the kernel by views of it. */
#define KERNEL_SPOTS 0x80000000u

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
	bool has_jit;          /* there are names of its JIT's code, */
	uint64_t jit_when;     /* by a time of this clock */

	struct recent *recent;
	const struct code *unknown; /* what nothing is mapped at */
	struct spots spots;
	const struct mapping *mapping; /* that was found last, and where */
	uint32_t mapping_view;
	uint32_t *function_code; /* by numbers of functions; 0: none yet, */
	size_t function_cap;     /* else one more than its number */
	const struct code **jit_code; /* by the numbers of its symbols */
	size_t jit_cap;
	struct codes codes;
	struct buf line;
};

struct resolver *
resolver_new(const struct resolve_options *options, struct processes *processes,
	     const struct perf_features *features)
{
	struct resolver *r = mem_zero(1, sizeof(*r));
	struct dso_options dso = { options->jit, options->places,
				   options->mangled };

	r->options = *options;
	r->processes = processes;
	r->dsos = dsos_new(&dso, processes, features);
	r->kernel = kernel_new(options->kallsyms, options->places.symfs == NULL,
			       processes, features);
	r->recent = mem_map(RECENT * sizeof(*r->recent));
	codes_init(&r->codes);
	r->unknown = codes_add(&r->codes, &(struct code){ .kind = CODE_USER });
	return r;
}

void
resolver_free(struct resolver *r)
{
	dsos_free(r->dsos);
	kernel_free(r->kernel);
	codes_free(&r->codes);
	mem_unmap(r->recent, RECENT * sizeof(*r->recent));
	spots_free(&r->spots);
	free(r->function_code);
	free(r->jit_code);
	buf_free(&r->line);
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
	r->has_jit = jit_knows(r->options.jit, pid);
	r->jit_when = when;
}

void
resolver_jit_times(struct resolver *r, enum jit_times times)
{
	if (times == JIT_NO_TIMES)
		r->jit_when = JIT_LAST;
	jit_set_times(r->options.jit, times);
}

uint64_t
resolver_moment(const struct resolver *r)
{
	/* A JIT's code is that of its time alone. */
	return r->executes || r->has_jit ?
		   0 :
		   (uint64_t)r->view.number << 32 | r->kernel_views;
}

/*
 * Code to which no call returns: it is where a signal handler or a probed
 * function returns, as the kernel arranged it, and it begins there.
 */
static bool
is_trampoline_name(struct str name)
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
	       str_starts(m->file->path, STR("[vdso"));
}

static const struct mapping *
find_mapping(struct resolver *r, uint64_t address)
{
	const struct mapping *m = r->mapping;

	/* Most callers are in the same file. */
	if (m != NULL && r->mapping_view == r->view.number &&
	    address >= m->start && address < m->end)
		return m;
	m = space_find(r->view.space, address);
	if (m != NULL) {
		r->mapping = m;
		r->mapping_view = r->view.number;
	} else if (r->executes) {
		/* The caller's memory goes, but not its address. */
		m = space_find(r->view.before, address);
	}
	return m;
}

/* Code of calls to here does not end before this address. */
static bool
is_trampoline(struct resolver *r, const struct mapping *m, uint64_t address)
{
	struct dso_symbol symbol;

	return is_trampoline_page(m) ||
	       (dso_find(r->dsos, m, r->pid, address, &symbol) &&
		symbol.start == address && is_trampoline_name(symbol.name));
}

/* The source line of a frame, until the next one. */
static struct str
line_of(struct resolver *r, const struct elf_frame *f)
{
	r->line.len = 0;
	elf_frame_line(f, &r->line);
	return buf_slice(&r->line);
}

/* The code of a symbol, or of what has none. */
static const struct code *
symbol_code(struct resolver *r, const struct mapping *m, uint64_t address)
{
	struct code c = { .module = dso_name(r->dsos, m->file),
			  .kind = dso_is_jit(r->dsos, m->file) ? CODE_JIT :
								 CODE_USER };
	struct dso_symbol symbol;

	if (dso_find(r->dsos, m, r->pid, address, &symbol))
		c.name = symbol.name;
	return codes_add(&r->codes, &c);
}

/* The same; of each function, its name is asked for once. */
static const struct code *
function_code(struct resolver *r, const struct mapping *m, uint64_t address)
{
	const uint32_t number = dso_number(r->dsos, m, address);
	const size_t old = r->function_cap;
	const struct code *code;

	if (number == 0)
		return symbol_code(r, m, address);
	if (number >= old) {
		r->function_code = mem_grow(r->function_code, &r->function_cap,
					    (size_t)number + 1,
					    sizeof(*r->function_code));
		memset(r->function_code + old, 0,
		       (r->function_cap - old) * sizeof(*r->function_code));
	}
	if (r->function_code[number] > 0)
		return r->codes.code[r->function_code[number] - 1];
	code = symbol_code(r, m, address);
	r->function_code[number] = code->number + 1;
	return code;
}

/*
 * The code at an address of a mapping, and what was inlined there.  The
 * function that all else is inlined into is what the symbol says.
 */
static const struct code *
mapped_code(struct resolver *r, const struct mapping *m, uint64_t address)
{
	const struct resolve_options *o = &r->options;
	const struct code *code;
	const struct elf_frame *f;
	struct code c;
	size_t n = 0;

	if (!o->no_inlines || o->lines)
		n = dso_inlines(r->dsos, m, address, o->lines, &f);
	code = function_code(r, m, address);
	if (n == 0)
		return code;
	c = *code;
	if (c.name.len == 0)
		c.name = dso_plain(r->dsos, f[n - 1].name);
	c.line = line_of(r, &f[o->no_inlines ? 0 : n - 1]);
	code = codes_add(&r->codes, &c);
	c.kind = CODE_INLINE;
	for (n--; n > 0 && !o->no_inlines; n--) {
		c.name = dso_plain(r->dsos, f[n - 1].name);
		c.line = line_of(r, &f[n - 1]);
		c.outer = code;
		if (c.name.len > 0)
			code = codes_add(&r->codes, &c);
	}
	return code;
}

/*
 * Code of the process's JIT; NULL if there is none here.  It also describes
 * code that lies in files again, and knows that better.
 */
static const struct code *
jit_code(struct resolver *r, uint64_t address, bool is_return)
{
	struct jit_symbol symbol;
	struct code c = { .kind = CODE_JIT };
	size_t old = r->jit_cap;

	if (!jit_find(r->options.jit, r->pid, r->jit_when, address, &symbol))
		return NULL;
	if (symbol.number >= old) {
		r->jit_code = mem_grow(r->jit_code, &r->jit_cap,
				       (size_t)symbol.number + 1,
				       sizeof(const struct code *));
		memset(r->jit_code + old, 0,
		       (r->jit_cap - old) * sizeof(const struct code *));
	}
	if (r->jit_code[symbol.number] == NULL) {
		c.name = symbol.name;
		c.line = symbol.line;
		c.module = symbol.module;
		r->jit_code[symbol.number] = codes_add(&r->codes, &c);
	}
	if (is_return || !r->options.insns)
		return r->jit_code[symbol.number];
	r->line.len = 0;
	if (!jit_insn(r->options.jit, &symbol, address, &r->line))
		return r->jit_code[symbol.number];
	c = (struct code){ .name = buf_slice(&r->line),
			   .kind = CODE_JIT,
			   .outer = r->jit_code[symbol.number] };
	return codes_add(&r->codes, &c);
}

/* What is in files is there for all processes: each address is found once. */
static const struct code *
user_code(struct resolver *r, uint64_t address, bool is_return)
{
	const struct mapping *at = find_mapping(r, address), *m = at;
	const struct code *code;
	uint64_t offset = 0;
	uint32_t where = 0, known = 0;

	if (at != NULL) {
		offset = address - at->start + at->offset;
		where = at->file->number << 1 | is_return;
		known = spots_find(&r->spots, offset, where);
	}
	if (known > 0)
		return r->codes.code[known - 1];
	if (is_return && (m == NULL || !is_trampoline(r, m, address)))
		m = find_mapping(r, --address);
	if (m == NULL)
		return r->unknown;
	code = mapped_code(r, m, address);
	/* A JIT's code is by its address alone. */
	if (m == at && !dso_is_jit(r->dsos, m->file))
		spots_add(&r->spots, offset, where, code->number + 1);
	return code;
}

/* Symbols of the kernel are the same in each view of them. */
static const struct code *
kernel_code(struct resolver *r, uint64_t address, bool is_return)
{
	const uint32_t where = KERNEL_SPOTS | r->kernel_views << 1 | is_return;
	const uint32_t known = spots_find(&r->spots, address, where);
	struct code c = { .kind = CODE_KERNEL };
	const struct code *code;

	if (known > 0)
		return r->codes.code[known - 1];
	c.name = kernel_find(r->kernel, address - is_return, r->when,
			     &c.module);
	code = codes_add(&r->codes, &c);
	spots_add(&r->spots, address, where, code->number + 1);
	return code;
}

/* By the address alone, which is known long before its process's memory is. */
static struct recent *
recent(const struct resolver *r, uint64_t address)
{
	return &r->recent[address * 0x9e3779b97f4a7c15u >> 40 & (RECENT - 1)];
}

void
resolver_expect(const struct resolver *r, struct str numbers)
{
	uint64_t address;

	for (; numbers.len >= sizeof(address);
	     numbers = str_skip(numbers, sizeof(address))) {
		memcpy(&address, numbers.p, sizeof(address));
		__builtin_prefetch(recent(r, address));
	}
}

const struct code *
resolve(struct resolver *r, enum resolve_mode mode, uint64_t address,
	bool is_return)
{
	const struct code *code;
	struct recent *p;
	uint32_t key;
	bool before;

	if (mode == RESOLVE_USER && r->has_jit) {
		before = is_return && !r->options.exact && address > 0;
		code = jit_code(r, address - before, is_return);
		if (code != NULL)
			return code;
	}
	is_return &= !r->options.exact;
	key = mode == RESOLVE_USER ? r->view.number << 2 :
				     r->kernel_views << 2 | 2;
	key |= is_return;
	p = recent(r, address);
	if (p->key == key && p->address == address && !r->executes)
		return r->codes.code[p->code];
	if (mode == RESOLVE_USER)
		code = user_code(r, address, is_return);
	else if (mode == RESOLVE_KERNEL)
		code = kernel_code(r, address, is_return);
	else
		return codes_add(&r->codes,
				 &(struct code){ .kind = CODE_KERNEL });
	r->executes |= code->executes;
	/* What is known only while it executes is not for others. */
	if (!r->executes)
		*p = (struct recent){ address, key, code->number };
	return code;
}

const struct code *
resolver_mark(struct resolver *r, struct str name)
{
	return codes_add(&r->codes,
			 &(struct code){ .name = name, .kind = CODE_USER });
}

/* Unwinding. */

static bool
unwind_map(void *arg, uint64_t address, struct unwind_map *map)
{
	struct resolver *r = arg;
	const struct mapping *m = find_mapping(r, address);
	struct jit_unwind jit;

	if (r->has_jit &&
	    jit_unwind(r->options.jit, r->pid, r->jit_when, address, &jit)) {
		*map = (struct unwind_map){ jit.start, jit.end, jit.bias,
					    jit.cfi };
		return true;
	}
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
	uint64_t jit[3];

	thread->space = r->view.number;
	if (r->has_jit) {
		jit[0] = r->view.number;
		jit[1] = (uint64_t)r->pid; /* a child has its parent's view */
		jit[2] = jit_changes(r->options.jit, r->pid, r->jit_when);
		thread->space = hash_bytes(jit, sizeof(jit));
	}
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
