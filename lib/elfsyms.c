/* elfsyms.c - the functions of an ELF file. */
#include "elfsyms.h"

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
			r->code[r->code_n++] = (struct code){
				sections[i].vaddr,
				sections[i].vaddr + sections[i].size
			};
	for (i = 0; r->code_n == 0 && i < segments_n; i++)
		if (segments[i].executable)
			r->code[r->code_n++] = (struct code){
				segments[i].vaddr,
				segments[i].vaddr + segments[i].file_size
			};
}

static const struct code *
code_of(const struct reading *r, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < r->code_n; i++)
		if (vaddr >= r->code[i].start && vaddr < r->code[i].end)
			return &r->code[i];
	return NULL;
}

/*
 * perf's choice (elf_sym__is_function(), elf_sym__is_label() of its
 * symbol-elf.c): functions, and labels that are no one's secret.
 */
static bool
is_function(const struct reading *r, const struct elffile_symbol *s)
{
	if (s->section == SHN_UNDEF)
		return false;
	/* Names are looked at last: each is somewhere else in memory. */
	if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
		return s->name[0] != '\0';
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
	return (s->size != 0 ? 8u : 0) | (s->type != STT_NOTYPE ? 4u : 0) |
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
	if (elffile_named(f, STR(".gnu_debugdata")) != 0 &&
	    elffile_fd(f) >= 0 && elfmini_symbols(elffile_fd(f), add, r))
		source = ELF_MINIDEBUG;
	return source;
}

struct symtab *
elfsyms_read(struct elffile *f, struct elffile *debug, enum elf_source *source)
{
	struct reading r = { .symtab = symtab_new(SYMTAB_BEST),
			     .head = elffile_head(f) };

	find_code(&r, f);
	*source = add_best(&r, f, debug);
	elfplt_add(f, r.symtab);
	free(r.code);
	symtab_sort(r.symtab);
	return r.symtab;
}
