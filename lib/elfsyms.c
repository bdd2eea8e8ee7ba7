/* elfsyms.c - the functions of an ELF file. */
#include "elfsyms.h"

#include "elfgo.h"
#include "elfmini.h"
#include "elfplt.h"
#include "mem.h"

#include <elf.h>
#include <stdlib.h>

/* From start to before end there is code. */
struct code {
	uint64_t start, end;
};

struct reading {
	struct symtab *symtab;
	const struct elffile_head *head;
	struct code *code;
	size_t code_n;
	uint64_t bias; /* added to a symbol's value */
	size_t added;
};

static int
by_start(const void *a, const void *b)
{
	const struct code *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Sort them; those that overlap, as of a file that is not linked, are one. */
static void
sort_code(struct reading *r)
{
	size_t i, n = 0;

	if (r->code_n == 0)
		return;
	qsort(r->code, r->code_n, sizeof(*r->code), by_start);
	for (i = 1; i < r->code_n; i++) {
		if (r->code[i].start >= r->code[n].end)
			r->code[++n] = r->code[i];
		else if (r->code[i].end > r->code[n].end)
			r->code[n].end = r->code[i].end;
	}
	r->code_n = n + 1;
}

static void
add_code(struct reading *r, uint64_t start, uint64_t size)
{
	if (size > 0 && size <= UINT64_MAX - start)
		r->code[r->code_n++] = (struct code){ start, start + size };
}

/* The sections with code, or the segments where there are no sections. */
static void
find_code(struct reading *r, const struct elffile *f)
{
	const struct elffile_section *sections;
	const struct elffile_segment *segments;
	size_t sections_n, segments_n, i;

	sections = elffile_sections(f, &sections_n);
	segments = elffile_segments(f, &segments_n);
	r->code = mem_alloc((sections_n + segments_n + 1) * sizeof(*r->code));
	for (i = 0; i < sections_n; i++)
		if (sections[i].flags & SHF_EXECINSTR)
			add_code(r, sections[i].vaddr, sections[i].size);
	for (i = 0; r->code_n == 0 && i < segments_n; i++)
		if (segments[i].executable)
			add_code(r, segments[i].vaddr, segments[i].file_size);
	sort_code(r);
}

static const struct code *
code_of(const struct reading *r, uint64_t vaddr)
{
	size_t low = 0, high = r->code_n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (r->code[mid].end <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < r->code_n && r->code[low].start <= vaddr ? &r->code[low] :
								NULL;
}

/*
 * perf's choice (elf_sym__filter(), elf_sym__is_label() of its symbol-elf.c):
 * functions, labels that are no one's secret, and objects where code is, as
 * Haskell's compiler takes code with a table in front for one.
 */
static bool
is_function(const struct reading *r, const struct elffile_symbol *s)
{
	if (s->section == SHN_UNDEF)
		return false;
	/* Names are looked at last: each is somewhere else in memory. */
	if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
		return s->name[0] != '\0';
	if (s->type == STT_OBJECT)
		return s->size != 0 && s->name[0] != '\0';
	if (s->type != STT_NOTYPE || s->section == SHN_ABS ||
	    s->visibility == STV_HIDDEN || s->visibility == STV_INTERNAL)
		return false;
	/* "$x" and the like say which kind of code begins, on ARM. */
	if (s->name[0] == '$')
		return r->head->machine != EM_AARCH64 &&
		       r->head->machine != EM_ARM;
	return s->name[0] != '\0';
}

/*
 * Which of several names of one address is taken, as choose_best_symbol() of
 * perf's symbol.c has it; the rest of its rules is in symtab.
 */
static unsigned
rank_of(const struct elffile_symbol *s)
{
	const bool is_code = s->type == STT_FUNC || s->type == STT_GNU_IFUNC;

	return (s->size != 0 ? 8u : 0) | (is_code ? 4u : 0) |
	       (s->binding != STB_WEAK ? 2u : 0) |
	       (s->binding == STB_GLOBAL ? 1u : 0);
}

static void
add(void *arg, const struct elffile_symbol *s)
{
	struct reading *r = arg;
	const struct code *code;
	uint64_t start = s->value + r->bias, end;

	if (!is_function(r, s))
		return;
	/* The lowest bit says which instruction set it is. */
	if (r->head->machine == EM_ARM)
		start &= ~UINT64_C(1);
	code = code_of(r, start);
	if (code == NULL)
		return;
	/* perf lets one without a size, as _init, go on over the PLT. */
	end = code->end;
	if (s->size != 0 && s->size < end - start)
		end = start + s->size;
	symtab_add(r->symtab, start, end, s->size == 0, rank_of(s),
		   str_of(s->name));
	r->added++;
}

/* Whether a table of symbols had a function. */
static bool
add_table(struct reading *r, struct elffile *f, uint32_t type)
{
	const size_t table = elffile_typed(f, type), before = r->added;
	struct elffile_symbol s;
	size_t i;

	for (i = 1; table != 0 && elffile_symbol(f, table, i, &s); i++)
		add(r, &s);
	return r->added > before;
}

/* A debug file may be of before its program was moved (prelink). */
static uint64_t
bias_between(const struct elffile *f, const struct elffile *debug)
{
	const struct elffile_segment *a, *b;
	size_t a_n, b_n;

	a = elffile_segments(f, &a_n);
	b = elffile_segments(debug, &b_n);
	return a_n > 0 && b_n > 0 ? a[0].vaddr - b[0].vaddr : 0;
}

static enum elf_source
add_best(struct reading *r, struct elffile *f, struct elffile *debug)
{
	enum elf_source source = ELF_NONE;

	if (debug != NULL) {
		r->bias = bias_between(f, debug);
		if (add_table(r, debug, SHT_SYMTAB))
			return ELF_DEBUG;
		r->bias = 0;
	}
	if (add_table(r, f, SHT_SYMTAB))
		return ELF_SYMTAB;
	if (add_table(r, f, SHT_DYNSYM))
		source = ELF_DYNSYM;
	if (elfmini_symbols(f, add, r))
		source = ELF_MINIDEBUG;
	elfgo_add(f, r->symtab);
	return source;
}

/*
 * What the names of its symbols may take: linkers join equal names, and those
 * that others end with, but few are.
 */
static uint64_t
limit_of(const struct elffile *f)
{
	return f == NULL ? 0 : elffile_head(f)->size * 16;
}

struct symtab *
elfsyms_read(struct elffile *f, struct elffile *debug, enum elf_source *source)
{
	struct reading r = { .symtab = symtab_new(SYMTAB_BEST),
			     .head = elffile_head(f) };

	symtab_limit(r.symtab, limit_of(f) + limit_of(debug));
	find_code(&r, f);
	*source = add_best(&r, f, debug);
	elfplt_add(f, r.symtab);
	free(r.code);
	symtab_sort(r.symtab);
	return r.symtab;
}
