/* jit.c - names of JIT-compiled code, by process, time and address. */
#include "jit/jit.h"

#include "arch/disasm.h"
#include "base/intern.h"
#include "base/mem.h"
#include "demangle/demangle.h"
#include "demangle/javaname.h"
#include "jit/jit_store-internal.h"
#include "jit/jit_trace_names.h"
#include "unwind/cfi.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An address named by a perf map whose process has, or may get, more maps. */
struct mapped_address {
	int64_t pid;
	uint64_t address;
};

struct jit {
	struct jit_options options;
	struct jit_store *files;

	struct intern *keys; /* of symbols: name, line and module */
	struct jit_symbol *symbol;
	size_t symbol_cap;
	struct buf name, line, module; /* scratch */
	struct intern *mapped;         /* the set of mapped_addresses */
	struct disasm *disasm;
	int machine; /* of disasm, 0 at first */

	/* For the notes. */
	enum jit_times times;
	uint64_t early, too_early; /* by the grace, beyond it */
	bool other_clock;          /* some times could not be compared */
	size_t noted;              /* bytes of the notes that were returned */
	bool summed_up;            /* the last notes are there */
};

struct jit *
jit_new(const struct jit_options *options)
{
	struct jit *j = mem_zero(1, sizeof(*j));

	j->options = *options;
	j->files = jit_store_new(&options->clock, options->trust_all);
	j->keys = intern_new();
	j->mapped = intern_new();
	return j;
}

void
jit_free(struct jit *j)
{
	if (j == NULL)
		return;
	jit_store_free(j->files);
	disasm_free(j->disasm);
	intern_free(j->keys);
	intern_free(j->mapped);
	free(j->symbol);
	buf_free(&j->name);
	buf_free(&j->line);
	buf_free(&j->module);
	free(j);
}

struct jit_store *
jit_files(struct jit *j)
{
	return j->files;
}

void
jit_set_times(struct jit *j, enum jit_times times)
{
	j->times = times;
}

bool
jit_is_empty(const struct jit *j)
{
	return j->files->processes == NULL;
}

bool
jit_has_names(struct jit *j, int64_t pid)
{
	const struct process_jit *p, *any;

	if (j->files->processes == NULL)
		return false;
	p = jit_store_find(j->files, pid);
	any = jit_store_find(j->files, JIT_ANY);
	return (p != NULL &&
		(p->n > 0 || p->trace_names != NULL || p->parent != 0)) ||
	       (any != NULL && any->n > 0);
}

void
jit_add_code(struct jit *j, int64_t pid, uint64_t time, uint64_t start,
	     uint64_t end, struct str name)
{
	struct process_jit *p = jit_store_process(j->files, pid);

	if (p->trace_names == NULL)
		p->trace_names = jit_trace_names_new();
	jit_trace_names_add(p->trace_names, time, start, end,
			    arena_str(&j->files->arena, name));
}

/* Inheritance. */

void
jit_fork(struct jit *j, int64_t parent, int64_t child)
{
	const struct process_jit *from = jit_store_find(j->files, parent);
	struct process_jit *p;

	if (parent == child || from == NULL ||
	    (from->n == 0 && from->parent == 0))
		return;
	p = jit_store_process(j->files, child);
	jit_store_set_parent(j->files, p, parent);
	p->until = JIT_LAST;
}

void
jit_exec(struct jit *j, int64_t pid, uint64_t time)
{
	struct process_jit *p = jit_store_find(j->files, pid);

	if (p != NULL && p->until > time)
		p->until = time;
}

void
jit_forget(struct jit *j, int64_t pid)
{
	struct process_jit *p = jit_store_find(j->files, pid);

	if (p != NULL)
		jit_store_forget(j->files, p);
}

/* How many generations of processes are searched. */
enum { FAMILY = 16 };

/*
 * A process and the ancestors whose code it has at a time, the parent before
 * the grandparent.  Returns how many.
 */
static size_t
find_family(const struct jit *j, int64_t pid, uint64_t time,
	    struct process_jit *family[FAMILY])
{
	struct process_jit *p = jit_store_find(j->files, pid);
	size_t n = 0;

	while (p != NULL && n < FAMILY) {
		family[n++] = p;
		p = p->parent != 0 && time <= p->until ?
			jit_store_find(j->files, p->parent) :
			NULL;
	}
	return n;
}

/* Names. */

/* Append a name to the key, readable if that is wanted. */
static void
add_name(struct jit *j, struct str name)
{
	if (j->options.mangled ||
	    (!javaname(&j->name, name) && !demangle(&j->name, name)))
		buf_str(&j->name, name);
}

/* A symbol from its key, whose parts have no NUL. */
static struct jit_symbol
symbol_of(struct jit *j, struct str key, size_t inlines)
{
	struct jit_inlined *inlined;
	struct jit_symbol s = { .name = str_cut(&key, '\0'),
				.line = str_cut(&key, '\0'),
				.module = str_cut(&key, '\0') };

	if (inlines == 0)
		return s;
	inlined = arena_alloc(&j->files->arena, inlines * sizeof(*inlined));
	s.inlined = inlined;
	for (; s.inlines < inlines; s.inlines++) {
		inlined[s.inlines].name = str_cut(&key, '\0');
		inlined[s.inlines].line = str_cut(&key, '\0');
	}
	return s;
}

/*
 * Fill in a symbol, from one with names as the JIT wrote them.  Equal symbols
 * have the same number.
 */
static void
set_symbol(struct jit *j, const struct jit_symbol *raw,
	   struct jit_symbol *found)
{
	const uint32_t n = intern_size(j->keys);
	uint32_t number;
	size_t i;

	j->name.len = 0;
	add_name(j, raw->name);
	buf_char(&j->name, '\0'); /* names have none */
	buf_str(&j->name, raw->line);
	buf_char(&j->name, '\0');
	buf_str(&j->name, raw->module);
	for (i = 0; i < raw->inlines; i++) {
		buf_char(&j->name, '\0');
		add_name(j, raw->inlined[i].name);
		buf_char(&j->name, '\0');
		buf_str(&j->name, raw->inlined[i].line);
	}
	number = intern_id(j->keys, buf_slice(&j->name));
	if (number == n) {
		j->symbol = mem_grow(j->symbol, &j->symbol_cap, (size_t)n + 1,
				     sizeof(*j->symbol));
		j->symbol[n] = symbol_of(j, intern_name(j->keys, n),
					 raw->inlines);
		j->symbol[n].number = n;
	}
	*found = j->symbol[number];
}

static void
set_name(struct jit *j, struct str name, struct jit_symbol *found)
{
	const struct jit_symbol raw = { .name = name };

	set_symbol(j, &raw, found);
}

/* "file:line" without folders, in j->line from *at on; empty if unknown. */
static struct str
frame_line(struct jit *j, const struct jitinline_frame *f)
{
	const size_t at = j->line.len;
	const struct str file = str_basename(f->file);

	if (!j->options.lines || f->line <= 0)
		return STR("");
	buf_str(&j->line, file);
	buf_printf(&j->line, "%s%" PRId32, file.len > 0 ? ":" : "", f->line);
	return (struct str){ j->line.p + at, j->line.len - at };
}

/* Set the line of a symbol, and the functions inlined in a stretch of it. */
static void
describe_stretch(struct jit *j, const struct jitinline *t, size_t stretch,
		 struct jit_symbol *raw, struct jit_inlined *inlined)
{
	struct jitinline_frame frame[JITINLINE_DEPTH];
	const size_t n = jitinline_frames(t, stretch, frame);
	size_t i, bytes = 0;

	/* So that appended lines do not move. */
	for (i = 0; i < n; i++)
		bytes += frame[i].file.len + 16;
	j->line.len = 0;
	buf_reserve(&j->line, bytes);
	raw->inlined = inlined;
	if (n > 0)
		raw->line = frame_line(j, &frame[0]);
	for (i = 1; i < n && !j->options.no_inlines; i++) {
		if (frame[i].name.len == 0)
			continue;
		inlined[raw->inlines].name = frame[i].name;
		inlined[raw->inlines++].line = frame_line(j, &frame[i]);
	}
}

/* The line of a function, or the line alone of what it may have inlined. */
static void
describe_line(struct jit *j, struct jit_source *src,
	      const struct jit_function *f, uint64_t address,
	      struct jit_symbol *raw, struct jit_inlined *inlined)
{
	j->line.len = 0;
	if (!j->options.lines)
		return;
	if (!jitcode_is_java(f)) {
		jitcode_line(src->code, f, address, &j->line);
		raw->line = buf_slice(&j->line);
	} else if (!j->options.no_inlines &&
		   jitcode_innermost_line(src->code, f, address, &j->line)) {
		*inlined = (struct jit_inlined){ .name = buf_slice(&j->line) };
		raw->inlined = inlined;
		raw->inlines = 1;
	}
}

/*
 * Where the number of the symbol is kept: one for a function, or one for a
 * stretch of it.
 */
static uint32_t *
find_number(struct jit_source *src, const struct jit_function *f,
	    const struct jitinline *t, size_t stretch)
{
	if (t == NULL)
		return &src->number[f->number];
	if (src->stretch == NULL)
		src->stretch = mem_zero(jitcode_size(src->code) + 1,
					sizeof(*src->stretch));
	if (src->stretch[f->number] == NULL)
		src->stretch[f->number] = jit_store_numbers(
		    jitinline_stretches(t));
	return &src->stretch[f->number][stretch];
}

static void
set_function(struct jit *j, const struct process_jit *p, struct jit_source *src,
	     const struct jit_function *f, const struct jit_place *place,
	     struct jit_symbol *found)
{
	const uint64_t address = place->address;
	const struct jitinline *t = jitcode_inlines(src->code, f);
	const size_t stretch = t == NULL ?
				   0 :
				   jitinline_stretch(t, address - f->start,
						     place->is_call);
	uint32_t *number = find_number(src, f, t, stretch);
	struct jit_inlined inlined[JITINLINE_DEPTH];
	struct jit_symbol raw = { .name = f->name };

	if (*number == JIT_NONE || (t == NULL && j->options.lines)) {
		if (t != NULL)
			describe_stretch(j, t, stretch, &raw, inlined);
		else
			describe_line(j, src, f, address, &raw, inlined);
		j->module.len = 0;
		if (j->options.versions)
			buf_printf(&j->module,
				   "jitted-%" PRId64 "-%" PRIu32 ".so", p->pid,
				   f->version);
		raw.module = buf_slice(&j->module);
		set_symbol(j, &raw, found);
		*number = found->number;
	}
	*found = j->symbol[*number];
	found->function = f;
	found->code = src->code;
	found->start = f->start;
	found->end = f->start + f->size;
}

/* The best answer of the jitdumps searched so far. */
struct dump_answer {
	struct jit_source *source, *later_source;
	const struct jit_function *function; /* there at the time, since */
	const struct jit_function *later;    /* the first after it, when */
	uint64_t since, when;
};

/* Whether the times of a jitdump are on the clock of sample times. */
static bool
is_comparable(struct jit *j, const struct jitcode *code)
{
	bool ticks = jitdump_has_ticks(jitcode_dump(code));

	if (!jitcode_has_times(code))
		return false;
	switch (j->options.clock.kind) {
	case JIT_CLOCK_TICKS:
		return true;
	case JIT_CLOCK_NS:
		ticks = false;
		break;
	default:
		break;
	}
	if ((j->times == JIT_MONOTONIC && !ticks) ||
	    (j->times == JIT_PERF_CLOCK && ticks))
		return true;
	j->other_clock = true;
	return false;
}

static void
search_dump(struct jit *j, struct jit_source *src, uint64_t time,
	    uint64_t address, struct dump_answer *a)
{
	const struct jit_function *f;
	uint64_t since;

	if (!is_comparable(j, src->code))
		time = JIT_LAST;
	f = jitcode_at(src->code, address, time, &since);
	if (f != NULL && (a->function == NULL || since >= a->since)) {
		a->function = f;
		a->source = src;
		a->since = since;
	}
	f = f == NULL && time != JIT_LAST ?
		jitcode_after(src->code, address, time, &since) :
		NULL;
	if (f != NULL && (a->later == NULL || since < a->when)) {
		a->later = f;
		a->later_source = src;
		a->when = since;
	}
}

static void
search_dumps(struct jit *j, struct process_jit *p, uint64_t time,
	     uint64_t address, struct dump_answer *a)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (jit_store_code(j->files, p, &p->source[i]) != NULL)
			search_dump(j, &p->source[i], time, address, a);
}

static bool
find_in_map(struct jit *j, const struct jit_source *src, uint64_t address,
	    struct jit_symbol *found)
{
	const uint32_t i = perfmap_number(src->map, address);
	struct symbol symbol;

	if (i == SYMTAB_NONE)
		return false;
	symbol = perfmap_symbol(src->map, i);
	if (src->number[i] == JIT_NONE) {
		if (symbol.name.len == 0)
			return false;
		set_name(j, symbol.name, found);
		src->number[i] = found->number;
	}
	*found = j->symbol[src->number[i]];
	found->start = symbol.start;
	found->end = symbol.end;
	return true;
}

static bool
find_in_dumps(struct jit *j, struct process_jit *p,
	      const struct jit_place *place, struct jit_symbol *found)
{
	struct dump_answer a = { 0 };
	bool early = false;

	search_dumps(j, p, place->time, place->address, &a);
	if (a.function == NULL && a.later != NULL) {
		if (a.when - place->time > j->options.grace) {
			j->too_early++;
			return false;
		}
		j->early++;
		early = true;
		a.function = a.later;
		a.source = a.later_source;
	}
	if (a.function == NULL || a.function->name.len == 0)
		return false;
	set_function(j, p, a.source, a.function, place, found);
	found->early = early;
	return true;
}

static bool
find_in_maps(struct jit *j, struct process_jit *p, uint64_t address,
	     struct jit_symbol *found)
{
	const struct mapped_address key = { p->pid, address };
	size_t i = p->n;

	while (i-- > 0) {
		if (p->source[i].map == NULL ||
		    !find_in_map(j, &p->source[i], address, found))
			continue;
		if (p->maps > 1 || p->is_jvm)
			intern_id(j->mapped, (struct str){ (const char *)&key,
							   sizeof(key) });
		return true;
	}
	return false;
}

static bool
find_in_trace(struct jit *j, struct process_jit *p, uint64_t time,
	      uint64_t address, struct jit_symbol *found)
{
	struct symbol symbol;

	if (p->trace_names == NULL ||
	    !jit_trace_names_find(p->trace_names, time, address, &symbol))
		return false;
	set_name(j, symbol.name, found);
	found->start = symbol.start;
	found->end = symbol.end;
	return true;
}

static bool
find_in_process(struct jit *j, struct process_jit *p,
		const struct jit_place *place, struct jit_symbol *found)
{
	return p != NULL &&
	       (find_in_dumps(j, p, place, found) ||
		find_in_maps(j, p, place->address, found) ||
		find_in_trace(j, p, place->time, place->address, found));
}

bool
jit_find(struct jit *j, const struct jit_place *place, struct jit_symbol *found)
{
	struct process_jit *family[FAMILY];
	const size_t n = find_family(j, place->pid, place->time, family);
	size_t i;

	for (i = 0; i < n; i++)
		if (find_in_process(j, family[i], place, found))
			return true;
	return find_in_process(j, jit_store_find(j->files, JIT_ANY), place,
			       found);
}

/* Bytes of the longest instruction, which is one of x86. */
enum { LONGEST = 15 };

bool
jit_insn(struct jit *j, const struct jit_symbol *symbol, uint64_t address,
	 struct buf *out)
{
	const struct jit_function *f = symbol->function;
	uint64_t offset = f == NULL ? 0 : address - f->start;
	struct jitdump *dump;
	char code[LONGEST];
	size_t n;

	if (f == NULL)
		return false;
	buf_char(out, '+');
	buf_hex(out, offset);
	if (offset >= f->code.len)
		return true;
	dump = jitcode_dump(symbol->code);
	if (j->machine != jitdump_machine(dump)) {
		disasm_free(j->disasm);
		j->machine = jitdump_machine(dump);
		j->disasm = disasm_new(j->machine);
	}
	n = f->code.len - (size_t)offset;
	n = n < LONGEST ? n : LONGEST;
	if (j->disasm == NULL ||
	    !jitdump_read(dump, f->code.at + offset, code, n))
		return true;
	buf_char(out, ' ');
	if (!disasm_print(j->disasm, (struct str){ code, n }, address, out))
		out->len--;
	return true;
}

/* Unwinding. */

static struct cfi *
cfi_of(struct jit *j, struct jit_source *src, const struct jit_function *f)
{
	struct jit_cfi *c;

	if (src->cfi == NULL)
		src->cfi = mem_zero(jitcode_size(src->code) + 1,
				    sizeof(*src->cfi));
	c = &src->cfi[f->number];
	if (!c->made)
		c->cfi = jitcode_cfi(src->code, f, &j->files->arena);
	c->made = true;
	return c->cfi;
}

bool
jit_unwind(struct jit *j, int64_t pid, uint64_t time, uint64_t address,
	   struct jit_unwind *u)
{
	struct process_jit *family[FAMILY];
	const size_t n = find_family(j, pid, time, family);
	const struct jit_function *f;
	struct dump_answer a = { 0 };
	struct cfi_row row;
	size_t i;

	for (i = 0; i < n; i++)
		search_dumps(j, family[i], time, address, &a);
	f = a.function;
	if (f == NULL)
		return false;
	*u = (struct jit_unwind){ .cfi = cfi_of(j, a.source, f),
				  .start = f->start,
				  .end = f->start + f->size,
				  .bias = f->start - f->loaded };
	return u->cfi != NULL && cfi_find(u->cfi, address - u->bias, &row);
}

uint64_t
jit_changes(struct jit *j, int64_t pid, uint64_t time)
{
	struct process_jit *family[FAMILY], *p;
	const size_t members = find_family(j, pid, time, family);
	const struct jitcode *code;
	uint64_t n = 0;
	size_t i, k;

	for (k = 0; k < members; k++) {
		for (i = 0, p = family[k]; i < p->n; i++) {
			code = jit_store_code(j->files, p, &p->source[i]);
			if (code != NULL && is_comparable(j, code))
				n += jitcode_changes(code, time);
		}
	}
	return n;
}

uint64_t
jit_bad(const struct jit *j)
{
	return j->files->bad;
}

/* Notes. */

/* Whether the maps of a process disagree on the name of an address. */
static bool
maps_differ(const struct process_jit *p, uint64_t address)
{
	struct symbol first = { 0 }, symbol;
	size_t i;

	for (i = 0; p->maps > 1 && i < p->n; i++) {
		if (p->source[i].map == NULL ||
		    !perfmap_find(p->source[i].map, address, &symbol))
			continue;
		if (first.name.len == 0)
			first = symbol;
		if (!str_eq(first.name, symbol.name))
			return true;
	}
	return false;
}

/* How many functions at one address are compared. */
enum { REUSES = 64 };

bool
jit_is_shared(struct jit *j, int64_t pid, uint64_t address)
{
	struct process_jit *p = jit_store_find(j->files, pid);
	const struct jit_function *first = NULL, *f;
	const struct jitcode *code;
	uint64_t when;
	size_t i;
	int n;

	if (p != NULL && maps_differ(p, address))
		return true;
	for (i = 0; p != NULL && i < p->n; i++) {
		code = jit_store_code(j->files, p, &p->source[i]);
		f = code == NULL ? NULL :
				   jitcode_after(code, address, 0, &when);
		for (n = 0; f != NULL && n < REUSES; n++) {
			if (first == NULL)
				first = f;
			if (!str_eq(first->name, f->name))
				return true;
			f = jitcode_after(code, address, when, &when);
		}
	}
	return false;
}

/* How many of the mapped addresses have different names in other maps. */
static uint64_t
count_doubtful(const struct jit *j)
{
	struct mapped_address key;
	const struct process_jit *p;
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < intern_size(j->mapped); i++) {
		memcpy(&key, intern_name(j->mapped, i).p, sizeof(key));
		p = jit_store_inner(j->files, key.pid);
		n += maps_differ(p, key.address);
	}
	return n;
}

/* Append the notes that count frames and addresses, once. */
static void
sum_up(struct jit *j)
{
	struct buf *notes = &j->files->notes;
	uint64_t doubtful;

	if (j->summed_up)
		return;
	j->summed_up = true;
	doubtful = count_doubtful(j);
	jit_store_note_clocks(j->files);
	if (j->early > 0)
		buf_printf(
		    notes, "%" PRIu64 " %s named by --grace\n", j->early,
		    str_plural(
			j->early,
			"frame ran before its code was logged, and was",
			"frames ran before their code was logged, and were"));
	if (j->too_early > 0)
		buf_printf(notes,
			   "%" PRIu64
			   " frame%s ran at addresses whose code was logged "
			   "later: see --grace, and record with -k mono\n",
			   j->too_early, str_plural(j->too_early, "", "s"));
	if (j->other_clock)
		buf_str(notes, STR("the clocks of recording and jitdumps "
				   "differ: using the last code at each "
				   "address; record with -k mono\n"));
	if (doubtful > 0)
		buf_printf(notes, "%" PRIu64 " %s doubtful\n", doubtful,
			   str_plural(doubtful,
				      "address had another function in an "
				      "earlier map: its name is",
				      "addresses had other functions in an "
				      "earlier map: their names are"));
}

bool
jit_note(struct jit *j, struct buf *line)
{
	struct str rest;

	sum_up(j);
	rest = str_skip(buf_slice(&j->files->notes), j->noted);
	if (rest.len == 0)
		return false;
	buf_str(line, str_cut(&rest, '\n'));
	j->noted = j->files->notes.len - rest.len;
	return true;
}
