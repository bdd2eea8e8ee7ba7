/* jit.c - names of the code that JITs made, of all processes. */
#include "jit.h"

#include "cfi.h"
#include "demangle.h"
#include "insn.h"
#include "intern.h"
#include "javaname.h"
#include "jitset.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>

struct jit *
jit_new(const struct jit_options *options)
{
	struct jit *j = mem_zero(1, sizeof(*j));

	j->options = *options;
	j->keys = intern_new();
	j->mapped = intern_new();
	return j;
}

void
jit_free(struct jit *j)
{
	if (j == NULL)
		return;
	jitset_free(j);
	insn_free(j->insn);
	intern_free(j->keys);
	intern_free(j->mapped);
	free(j->symbol);
	buf_free(&j->name);
	buf_free(&j->line);
	buf_free(&j->module);
	free(j);
}

void
jit_set_times(struct jit *j, enum jit_times times)
{
	j->times = times;
}

bool
jit_knows(struct jit *j, int64_t pid)
{
	const struct jit_process *p, *any;

	if (j->n == 0)
		return false;
	p = jitset_find(j, pid);
	any = jitset_find(j, JIT_ANY);
	return (p != NULL && (p->n > 0 || p->told != NULL || p->parent != 0)) ||
	       (any != NULL && any->n > 0);
}

/* Names. */

/* Fill in a symbol; there is one number for equal ones. */
static void
set_symbol(struct jit *j, struct str name, struct str line, struct str module,
	   struct jit_symbol *found)
{
	uint32_t n = intern_size(j->keys), number;
	struct str key;

	j->name.len = 0;
	if (j->options.mangled ||
	    (!javaname(&j->name, name) && !demangle(&j->name, name)))
		buf_str(&j->name, name);
	name.len = j->name.len;
	buf_char(&j->name, '\0'); /* in no name is one */
	buf_str(&j->name, line);
	buf_char(&j->name, '\0');
	buf_str(&j->name, module);
	number = intern_id(j->keys, buf_slice(&j->name));
	if (number == n) {
		key = intern_name(j->keys, number);
		j->symbol = mem_grow(j->symbol, &j->symbol_cap, (size_t)n + 1,
				     sizeof(*j->symbol));
		j->symbol[n] = (struct jit_symbol){ .number = n };
		j->symbol[n].name = (struct str){ key.p, name.len };
		key = str_skip(key, name.len + 1);
		j->symbol[n].line = (struct str){ key.p, line.len };
		j->symbol[n].module = str_skip(key, line.len + 1);
	}
	*found = j->symbol[number];
}

static void
set_function(struct jit *j, const struct jit_process *p, struct jit_source *s,
	     const struct jit_function *f, uint64_t address,
	     struct jit_symbol *found)
{
	uint32_t *number = &s->number[f->number];

	if (*number == JIT_NONE || j->options.lines) {
		j->line.len = j->module.len = 0;
		if (j->options.lines)
			jitcode_line(s->code, f, address, &j->line);
		if (j->options.versions)
			buf_printf(&j->module,
				   "jitted-%" PRId64 "-%" PRIu32 ".so", p->pid,
				   f->version);
		set_symbol(j, f->name, buf_slice(&j->line),
			   buf_slice(&j->module), found);
		*number = found->number;
	}
	*found = j->symbol[*number];
	found->function = f;
	found->code = s->code;
	found->start = f->start;
	found->end = f->start + f->size;
}

/* What is found on the way through the files of a process. */
struct answer {
	struct jit_source *source, *later_source;
	const struct jit_function *function, *later;
	uint64_t since, when;
};

/* Whether the times of a jitdump can be compared with those of questions. */
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
ask_code(struct jit *j, struct jit_source *s, uint64_t time, uint64_t address,
	 struct answer *a)
{
	const struct jit_function *f;
	uint64_t since;

	if (!is_comparable(j, s->code))
		time = JIT_LAST;
	f = jitcode_at(s->code, address, time, &since);
	if (f != NULL && (a->function == NULL || since >= a->since)) {
		a->function = f;
		a->source = s;
		a->since = since;
	}
	f = f == NULL && time != JIT_LAST ?
		jitcode_after(s->code, address, time, &since) :
		NULL;
	if (f != NULL && (a->later == NULL || since < a->when)) {
		a->later = f;
		a->later_source = s;
		a->when = since;
	}
}

static bool
ask_map(struct jit *j, const struct jit_source *s, uint64_t address,
	struct jit_symbol *found)
{
	const uint32_t i = perfmap_number(s->map, address);
	struct symbol symbol;

	if (i == SYMTAB_NONE)
		return false;
	symbol = perfmap_symbol(s->map, i);
	if (s->number[i] == JIT_NONE) {
		if (symbol.name.len == 0)
			return false;
		set_symbol(j, symbol.name, STR(""), STR(""), found);
		s->number[i] = found->number;
	}
	*found = j->symbol[s->number[i]];
	found->start = symbol.start;
	found->end = symbol.end;
	return true;
}

static bool
ask_dumps(struct jit *j, struct jit_process *p, uint64_t time, uint64_t address,
	  struct jit_symbol *found)
{
	struct answer a = { 0 };
	bool early = false;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (jitset_code(j, p, &p->source[i]) != NULL)
			ask_code(j, &p->source[i], time, address, &a);
	if (a.function == NULL && a.later != NULL) {
		if (a.when - time > j->options.grace) {
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
	set_function(j, p, a.source, a.function, address, found);
	found->early = early;
	return true;
}

static bool
ask_maps(struct jit *j, struct jit_process *p, uint64_t address,
	 struct jit_symbol *found)
{
	struct jit_place key = { p, address };
	size_t i = p->n;

	while (i-- > 0) {
		if (p->source[i].map == NULL ||
		    !ask_map(j, &p->source[i], address, found))
			continue;
		if (p->maps > 1 || p->is_live)
			intern_id(j->mapped, (struct str){ (const char *)&key,
							   sizeof(key) });
		return true;
	}
	return false;
}

static bool
ask_told(struct jit *j, struct jit_process *p, uint64_t time, uint64_t address,
	 struct jit_symbol *found)
{
	struct symbol symbol;

	if (p->told == NULL || !jittold_find(p->told, time, address, &symbol))
		return false;
	set_symbol(j, symbol.name, STR(""), STR(""), found);
	found->start = symbol.start;
	found->end = symbol.end;
	return true;
}

static bool
ask(struct jit *j, struct jit_process *p, uint64_t time, uint64_t address,
    struct jit_symbol *found)
{
	return p != NULL && (ask_dumps(j, p, time, address, found) ||
			     ask_maps(j, p, address, found) ||
			     ask_told(j, p, time, address, found));
}

bool
jit_find(struct jit *j, int64_t pid, uint64_t time, uint64_t address,
	 struct jit_symbol *found)
{
	struct jit_process *family[JIT_FAMILY];
	const size_t n = jitset_family(j, pid, time, family);
	size_t i;

	for (i = 0; i < n; i++)
		if (ask(j, family[i], time, address, found))
			return true;
	return ask(j, jitset_find(j, JIT_ANY), time, address, found);
}

/* The longest instruction there is. */
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
		insn_free(j->insn);
		j->machine = jitdump_machine(dump);
		j->insn = insn_new(j->machine);
	}
	n = f->code.len - (size_t)offset;
	n = n < LONGEST ? n : LONGEST;
	if (j->insn == NULL ||
	    !jitdump_read(dump, f->code.at + offset, code, n))
		return true;
	buf_char(out, ' ');
	if (!insn_print(j->insn, (struct str){ code, n }, address, out))
		out->len--;
	return true;
}

/* Unwinding. */

static struct cfi *
cfi_of(struct jit *j, struct jit_source *s, const struct jit_function *f)
{
	struct jit_cfi *c;

	if (s->cfi == NULL)
		s->cfi = mem_zero(jitcode_size(s->code) + 1, sizeof(*s->cfi));
	c = &s->cfi[f->number];
	if (!c->known)
		c->cfi = jitcode_cfi(s->code, f, &j->arena);
	c->known = true;
	return c->cfi;
}

bool
jit_unwind(struct jit *j, int64_t pid, uint64_t time, uint64_t address,
	   struct jit_unwind *u)
{
	struct jit_process *family[JIT_FAMILY], *p;
	const size_t n = jitset_family(j, pid, time, family);
	const struct jit_function *f;
	struct answer a = { 0 };
	struct cfi_row row;
	size_t i, k;

	for (k = 0; k < n; k++)
		for (i = 0, p = family[k]; i < p->n; i++)
			if (jitset_code(j, p, &p->source[i]) != NULL)
				ask_code(j, &p->source[i], time, address, &a);
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
	struct jit_process *family[JIT_FAMILY], *p;
	const size_t members = jitset_family(j, pid, time, family);
	const struct jitcode *code;
	uint64_t n = 0;
	size_t i, k;

	for (k = 0; k < members; k++) {
		for (i = 0, p = family[k]; i < p->n; i++) {
			code = jitset_code(j, p, &p->source[i]);
			if (code != NULL && is_comparable(j, code))
				n += jitcode_changes(code, time);
		}
	}
	return n;
}

uint64_t
jit_bad(const struct jit *j)
{
	return j->bad;
}
