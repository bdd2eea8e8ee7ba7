/* resolve.c - finds the code at an address: function, inlined calls, line. */
#include "symbols/resolve.h"

#include "base/mem.h"
#include "symbols/addr_cache.h"
#include "symbols/code_cache.h"
#include "symbols/dso.h"
#include "symbols/kernel.h"
#include "symbols/process_life.h"

#include <pthread.h>
#include <stdlib.h>

/*
 * The addresses of addr_cache are offsets in the file with this number, or
 * addresses of the kernel's view with this number and this bit.
 */
#define KERNEL_BIT 0x80000000u

struct resolver {
	/*
	 * A fork finds code itself, in files that all forks share, and gives it
	 * to the base, so that each code has one number.  Its table has the
	 * base's code by number, as far as the fork has met it.
	 */
	struct resolver *base;       /* NULL: it is no fork */
	pthread_mutex_t lock;        /* of a base: its code and addresses */
	pthread_mutex_t kernel_lock; /* of a base: what finds kernel code */

	struct resolve_options options;
	struct processes *processes;
	struct dsos *dsos;
	struct kernel *kernel;

	/* Set by resolve_at(). */
	struct process_image image;
	uint64_t when;
	uint32_t kernel_view; /* a number: the kernel loads BPF programs */

	struct code_table codes;
	struct code_cache recent;
	struct addr_cache addresses;
	uint32_t *function_code; /* by function number: code number + 1, or 0 */
	size_t function_cap;
	const struct code **jit_code; /* by symbol number, or NULL */
	size_t jit_cap;
	const struct code *unknown; /* for addresses without a mapping */
	const struct code *missing; /* NULL before use */
	struct buf line;            /* scratch */
};

struct resolver *
resolve_new(const struct resolve_options *options, struct processes *processes,
	    const struct perf_features *features, struct buf *why)
{
	struct resolver *r = mem_zero(1, sizeof(*r));
	struct dso_options dso = { options->jit, options->places,
				   options->mangled };

	r->options = *options;
	r->processes = processes;
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->kernel_lock, NULL);
	code_cache_init(&r->recent);
	code_intern_init(&r->codes);
	r->unknown = code_intern_mark(&r->codes, STR(""));
	r->dsos = dso_new(&dso, processes, features, why);
	if (r->dsos != NULL)
		r->kernel = kernel_new(options->kallsyms,
				       options->places.symfs == NULL, processes,
				       features, why);
	if (r->kernel == NULL) {
		resolve_free(r);
		return NULL;
	}
	r->image = (struct process_image){ .processes = processes,
					   .dsos = r->dsos,
					   .jit = options->jit };
	return r;
}

void
resolve_free(struct resolver *r)
{
	dso_free(r->dsos);
	kernel_free(r->kernel);
	code_intern_free(&r->codes);
	code_cache_free(&r->recent);
	addr_cache_free(&r->addresses);
	free(r->function_code);
	free(r->jit_code);
	buf_free(&r->line);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->kernel_lock);
	free(r);
}

/* Code that the base has, for a fork's table. */
static const struct code *
add_code(struct resolver *r, const struct code *code)
{
	r->codes.code = mem_grow(r->codes.code, &r->codes.cap,
				 (size_t)code->number + 1,
				 sizeof(struct code *));
	r->codes.code[code->number] = (struct code *)(uintptr_t)code;
	return code;
}

struct resolver *
resolve_fork(struct resolver *base, struct processes *processes)
{
	struct resolver *r;

	if (base->options.places.fetch > 0 ||
	    !jit_is_empty(base->options.jit) || process_make_code(processes))
		return NULL;
	r = mem_zero(1, sizeof(*r));
	r->base = base;
	r->options = base->options;
	r->processes = processes;
	r->dsos = dso_fork(base->dsos);
	r->unknown = add_code(r, base->unknown);
	code_cache_init(&r->recent);
	r->image = (struct process_image){ .processes = processes,
					   .dsos = r->dsos,
					   .jit = base->options.jit };
	return r;
}

void
resolve_fork_free(struct resolver *fork)
{
	dso_fork_free(fork->dsos);
	code_cache_free(&fork->recent);
	addr_cache_free(&fork->addresses);
	free(fork->codes.code);
	free(fork->function_code);
	buf_free(&fork->line);
	free(fork);
}

void
resolve_join(struct resolver *base, const struct resolver *fork)
{
	dso_join(base->dsos, fork->dsos);
}

struct resolve_forget {
	struct resolver *resolver;
	void (*ended)(void *arg, int64_t tid);
	void *arg;
};

static bool
forget_file(void *arg, const struct mapped_file *file)
{
	const struct resolve_forget *f = arg;

	return dso_forget(f->resolver->dsos, file);
}

/* Forget a thread; the first thread stands for its process. */
static void
forget_thread(void *arg, int64_t tid)
{
	const struct resolve_forget *f = arg;

	jit_forget(f->resolver->options.jit, tid);
	f->ended(f->arg, tid);
}

void
resolve_forget(struct resolver *r, uint64_t before,
	       void (*ended)(void *arg, int64_t tid), void *arg)
{
	struct resolve_forget f = { r, ended, arg };

	process_life_forget(
	    r->processes, before,
	    &(struct process_gone){ forget_file, forget_thread, &f });
}

void
resolve_at(struct resolver *r, int64_t pid, uint64_t when)
{
	process_image_set(&r->image, pid, when);
	r->when = when;
	r->kernel_view =
	    process_view(r->processes, PROCESS_SYMBOLS, when).number;
}

void
resolve_jit_times(struct resolver *r, enum jit_times times)
{
	/* Nothing is forked for JIT code. */
	if (r->base != NULL)
		return;
	if (times == JIT_NO_TIMES)
		r->image.jit_when = JIT_LAST;
	jit_set_times(r->options.jit, times);
}

uint64_t
resolve_moment(const struct resolver *r)
{
	/* JIT code may change with each sample. */
	return r->image.executes || r->image.has_jit ?
		   0 :
		   (uint64_t)r->image.view.number << 32 | r->kernel_view;
}

struct process_image *
resolve_image(struct resolver *r)
{
	return &r->image;
}

struct code_table *
resolve_codes(struct resolver *r)
{
	return &r->codes;
}

/* Code of a fork. */

/* As code_intern_add().  Code never changes, so it needs no lock later. */
static const struct code *
intern(struct resolver *r, const struct code *like)
{
	struct resolver *base = r->base;
	const struct code *code;

	if (base == NULL)
		return code_intern_add(&r->codes, like);
	pthread_mutex_lock(&base->lock);
	code = code_intern_add(&base->codes, like);
	pthread_mutex_unlock(&base->lock);
	return add_code(r, code);
}

/* The code that another thread found at an address, or NULL. */
static const struct code *
ask_base(struct resolver *r, uint64_t offset, uint32_t space)
{
	struct resolver *base = r->base;
	const struct code *code = NULL;
	uint32_t cached;

	if (base == NULL)
		return NULL;
	pthread_mutex_lock(&base->lock);
	cached = addr_cache_find(&base->addresses, offset, space);
	if (cached > 0)
		code = base->codes.code[cached - 1];
	pthread_mutex_unlock(&base->lock);
	if (code == NULL)
		return NULL;
	addr_cache_add(&r->addresses, offset, space, cached);
	return add_code(r, code);
}

/* Keep the code at an address; false if another thread has done it. */
static bool
keep(struct resolver *r, uint64_t offset, uint32_t space,
     const struct code *code)
{
	struct resolver *base = r->base;
	bool is_first;

	addr_cache_add(&r->addresses, offset, space, code->number + 1);
	if (base == NULL)
		return true;
	pthread_mutex_lock(&base->lock);
	is_first = addr_cache_find(&base->addresses, offset, space) == 0;
	if (is_first)
		addr_cache_add(&base->addresses, offset, space,
			       code->number + 1);
	pthread_mutex_unlock(&base->lock);
	return is_first;
}

/* Code of files. */

/*
 * The kernel makes signal handlers and probed functions return to the first
 * instruction of a trampoline, which no call precedes.
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

/* Whether a return address is the start of a trampoline. */
static bool
is_trampoline(struct resolver *r, const struct mapping *m, uint64_t address)
{
	struct dso_symbol symbol;

	return is_trampoline_page(m) ||
	       (dso_find(r->dsos, m, r->image.pid, address, &symbol) &&
		symbol.start == address && is_trampoline_name(symbol.name));
}

/* The source line of a frame, valid until the next call. */
static struct str
frame_line(struct resolver *r, const struct elf_frame *f)
{
	r->line.len = 0;
	elf_frame_line(f, &r->line);
	return buf_slice(&r->line);
}

/* The code of the symbol at an address, or of the module without a symbol. */
static const struct code *
symbol_code(struct resolver *r, const struct mapping *m, uint64_t address)
{
	struct code c = { .module = dso_name(r->dsos, m->file),
			  .kind = dso_is_jit(r->dsos, m->file) ? CODE_JIT :
								 CODE_USER };
	struct dso_symbol symbol;

	if (dso_find(r->dsos, m, r->image.pid, address, &symbol))
		c.name = symbol.name;
	return intern(r, &c);
}

/* As symbol_code(), which is called once for each function. */
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
 * The innermost code at an address of a mapping, inlined or not.  The outermost
 * function has the name of the symbol, not the one in the debug information.
 */
static const struct code *
mapped_code(struct resolver *r, const struct mapping *m, uint64_t address)
{
	const struct resolve_options *o = &r->options;
	const struct code *code;
	const struct elf_frame *f = NULL;
	struct code c;
	size_t n = 0;

	if (!o->no_inlines || o->lines)
		n = dso_inlines(r->dsos, m, address, o->lines, &f);
	code = function_code(r, m, address);
	/* A line without a function is of no use to a frame without name. */
	if (n == 0 || (f[n - 1].name.len == 0 && code->name.len == 0))
		return code;
	c = *code;
	if (c.name.len == 0)
		c.name = dso_plain(r->dsos, f[n - 1].name);
	c.line = frame_line(r, &f[o->no_inlines ? 0 : n - 1]);
	code = intern(r, &c);
	c.kind = CODE_INLINE;
	for (n--; n > 0 && !o->no_inlines; n--) {
		c.name = dso_plain(r->dsos, f[n - 1].name);
		c.line = frame_line(r, &f[n - 1]);
		c.outer = code;
		if (c.name.len > 0)
			code = intern(r, &c);
	}
	return code;
}

/* The code of a symbol of a JIT: the innermost of what it inlines. */
static const struct code *
symbol_codes(struct resolver *r, const struct jit_symbol *symbol)
{
	struct code c = { .kind = CODE_JIT,
			  .name = symbol->name,
			  .line = symbol->line,
			  .module = symbol->module };
	const struct code *code = code_intern_add(&r->codes, &c);
	size_t i;

	for (i = 0; i < symbol->inlines; i++) {
		c = (struct code){ .kind = CODE_INLINE,
				   .name = symbol->inlined[i].name,
				   .line = symbol->inlined[i].line,
				   .outer = code };
		code = code_intern_add(&r->codes, &c);
	}
	return code;
}

/*
 * Code of the process's JIT, or NULL.  Jitdumps may describe code of mapped
 * files too, and then know more than the file.
 */
static const struct code *
jit_code(struct resolver *r, uint64_t address, bool is_return)
{
	const struct jit_place place = { r->image.pid, r->image.jit_when,
					 address,
					 is_return && !r->options.exact };
	struct jit_symbol symbol;
	struct code c;
	size_t old = r->jit_cap;

	if (!jit_find(r->options.jit, &place, &symbol))
		return NULL;
	if (symbol.number >= old) {
		r->jit_code = mem_grow(r->jit_code, &r->jit_cap,
				       (size_t)symbol.number + 1,
				       sizeof(const struct code *));
		memset(r->jit_code + old, 0,
		       (r->jit_cap - old) * sizeof(const struct code *));
	}
	if (r->jit_code[symbol.number] == NULL)
		r->jit_code[symbol.number] = symbol_codes(r, &symbol);
	if (is_return || !r->options.insns)
		return r->jit_code[symbol.number];
	r->line.len = 0;
	if (!jit_insn(r->options.jit, &symbol, address, &r->line))
		return r->jit_code[symbol.number];
	c = (struct code){ .name = buf_slice(&r->line),
			   .kind = CODE_JIT,
			   .outer = r->jit_code[symbol.number] };
	return code_intern_add(&r->codes, &c);
}

/* What is neither the program's nor this kernel's: that of guests. */
static const struct code *
other_code(struct resolver *r)
{
	return intern(r, &(struct code){ .kind = CODE_KERNEL });
}

/* A file has the same code in all processes, so the cache is by its offset. */
static const struct code *
user_code(struct resolver *r, uint64_t address, bool is_return)
{
	const struct mapping *at = process_image_find(&r->image, address);
	const struct mapping *m = at;
	const struct code *code;
	uint64_t offset = 0;
	uint32_t space = 0, cached = 0;

	if (at != NULL) {
		offset = address - at->start + at->offset;
		space = at->file->number << 1 | is_return;
		cached = addr_cache_find(&r->addresses, offset, space);
	}
	if (cached > 0)
		return r->codes.code[cached - 1];
	code = at == NULL ? NULL : ask_base(r, offset, space);
	if (code != NULL)
		return code;
	if (is_return && (m == NULL || !is_trampoline(r, m, address)))
		m = process_image_find(&r->image, --address);
	if (m == NULL)
		return r->unknown;
	code = mapped_code(r, m, address);
	/* JIT code has no offset in a file. */
	if (m == at && !dso_is_jit(r->dsos, m->file) &&
	    !keep(r, offset, space, code))
		dso_uncount(r->dsos);
	return code;
}

static const struct code *
kernel_code(struct resolver *r, uint64_t address, bool is_return)
{
	const uint32_t space = KERNEL_BIT | r->kernel_view << 1 | is_return;
	const uint32_t cached = addr_cache_find(&r->addresses, address, space);
	struct resolver *of = r->base != NULL ? r->base : r;
	struct code c = { .kind = CODE_KERNEL };
	const struct code *code;

	if (cached > 0)
		return r->codes.code[cached - 1];
	code = ask_base(r, address, space);
	if (code != NULL)
		return code;
	pthread_mutex_lock(&of->kernel_lock);
	c.name = kernel_find(of->kernel, address - is_return, r->when,
			     &c.module);
	pthread_mutex_unlock(&of->kernel_lock);
	code = intern(r, &c);
	keep(r, address, space, code);
	return code;
}

const struct code *
resolve_missing(struct resolver *r)
{
	const struct code mark = { .name = STR("[missing]"),
				   .kind = CODE_USER };

	if (r->missing == NULL)
		r->missing = intern(r, &mark);
	return r->missing;
}

void
resolve_prefetch(const struct resolver *r, struct str numbers)
{
	code_cache_prefetch(&r->recent, numbers);
}

const struct code *
resolve(struct resolver *r, enum resolve_mode mode, uint64_t address,
	bool is_return)
{
	const struct code *code;
	struct code_cache_slot *slot;
	uint32_t key;
	bool before;

	if (mode == RESOLVE_USER && r->image.has_jit) {
		before = is_return && !r->options.exact && address > 0;
		code = jit_code(r, address - before, is_return);
		if (code != NULL)
			return code;
	}
	is_return &= !r->options.exact;
	key = mode == RESOLVE_USER ? r->image.view.number << 2 :
				     r->kernel_view << 2 | 2;
	key |= is_return;
	slot = code_cache_slot(&r->recent, address);
	if (slot->key == key && slot->address == address && !r->image.executes)
		return r->codes.code[slot->code];
	if (mode == RESOLVE_USER)
		code = user_code(r, address, is_return);
	else if (mode == RESOLVE_KERNEL)
		code = kernel_code(r, address, is_return);
	else
		return other_code(r);
	if (code->executes)
		process_image_exec(&r->image);
	/* During exec, code may be of the memory before, which has no number.
	 */
	if (!r->image.executes)
		*slot = (struct code_cache_slot){ address, key, code->number };
	return code;
}

void
resolve_read(struct resolver *fork, enum resolve_mode mode, uint64_t address,
	     unsigned table)
{
	const struct resolve_options *o = &fork->options;
	struct resolver *base = fork->base;
	const struct mapping *m;

	if (mode == RESOLVE_KERNEL && table == 0) {
		pthread_mutex_lock(&base->kernel_lock);
		kernel_read(base->kernel, address, fork->when);
		pthread_mutex_unlock(&base->kernel_lock);
		return;
	}
	m = mode == RESOLVE_USER ? process_image_find(&fork->image, address) :
				   NULL;
	if (m == NULL)
		return;
	if (table == 0 && (!o->no_inlines || o->lines))
		dso_read_inlines(fork->dsos, m, address, o->lines);
	else if (table == 1)
		dso_read_symbols(fork->dsos, m);
}

uint64_t
resolve_file(struct resolver *r, enum resolve_mode mode, uint64_t address)
{
	const struct mapping *m;

	if (mode != RESOLVE_USER)
		return UINT64_MAX - (uint64_t)mode;
	m = process_image_find(&r->image, address);
	return m == NULL ? UINT64_MAX : m->file->number;
}

bool
resolve_note(struct resolver *r, struct buf *line)
{
	return kernel_note(r->kernel, line) || dso_note(r->dsos, line);
}
