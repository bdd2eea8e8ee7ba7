/* elfsyms.c - the symbol table of an ELF file. */
#include "elf/elfsyms.h"

#include "arch/arch.h"
#include "base/mem.h"
#include "elf/elfgo.h"
#include "elf/elfmini.h"
#include "elf/elfplt.h"

#include <elf.h>
#include <stdlib.h>

/* A range of code, from start to before end. */
struct elfsyms_code {
	uint64_t start, end;
};

struct elfsyms_reader {
	struct symtab *symtab;
	const struct elffile_head *head;
	const struct arch *arch; /* or NULL */
	struct elfsyms_code *code;
	size_t code_n;
	struct elffile *file;
	struct str text; /* the bytes of .text, where code follows code */
	bool text_read;
	size_t text_section; /* or 0 */
	uint64_t text_at, text_size;
	unsigned followed; /* functions whose instructions were followed */
	uint64_t bias;     /* added to a symbol's value */
	size_t added;
	void (*each)(void *arg, const struct elf_function *); /* or NULL */
	void *arg;
};

static int
by_start(const void *a, const void *b)
{
	const struct elfsyms_code *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Sort ranges, and join those that overlap, as in a file that is not linked. */
static void
sort_code(struct elfsyms_reader *r)
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
add_code(struct elfsyms_reader *r, uint64_t start, uint64_t size)
{
	if (size > 0 && size <= UINT64_MAX - start)
		r->code[r->code_n++] = (struct elfsyms_code){ start,
							      start + size };
}

/* Find the sections with code, or the segments if there are no sections. */
static void
find_code(struct elfsyms_reader *r, const struct elffile *f)
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

static void
find_text(struct elfsyms_reader *r)
{
	const struct elffile_section *sections;
	size_t n;

	r->text_section = elffile_named(r->file, STR(".text"));
	if (r->text_section == 0)
		return;
	sections = elffile_sections(r->file, &n);
	r->text_at = sections[r->text_section].vaddr;
	r->text_size = sections[r->text_section].size;
}

/* Most files need no instructions, and may have megabytes of them. */
static struct str
text_from(struct elfsyms_reader *r, uint64_t vaddr)
{
	const uint64_t offset = vaddr - r->text_at;

	if (offset >= r->text_size)
		return STR("");
	if (!r->text_read)
		r->text = elffile_bytes(r->file, r->text_section);
	r->text_read = true;
	return offset < r->text.len ? str_skip(r->text, offset) : STR("");
}

/*
 * The end of a function of unknown size, if its instructions say so: what
 * follows may be a hidden function, which has no symbol.
 */
static uint64_t
find_end(struct elfsyms_reader *r, uint64_t start, uint64_t end)
{
	/* A file may have any number of such symbols; musl has a dozen. */
	const unsigned limit = 16384;
	struct str code;
	size_t n = 0;

	if (r->arch == NULL || r->arch->reach == NULL)
		return end;
	code = text_from(r, start);
	if (code.len > 0 && r->followed++ < limit)
		n = r->arch->reach(code);
	return n > 0 && n < end - start ? start + n : end;
}

static const struct elfsyms_code *
find_code_at(const struct elfsyms_reader *r, uint64_t vaddr)
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
 * The rules of perf (elf_sym__filter() and elf_sym__is_label() in
 * symbol-elf.c): functions, visible labels, and objects in code.  Haskell's
 * compiler marks code with a table before it as an object.
 */
static bool
is_function(const struct elfsyms_reader *r, const struct elffile_symbol *s)
{
	if (s->section == SHN_UNDEF)
		return false;
	/* Test names last: each may be a cache miss. */
	if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
		return s->name[0] != '\0';
	if (s->type == STT_OBJECT)
		return s->size != 0 && s->name[0] != '\0';
	if (s->type != STT_NOTYPE || s->section == SHN_ABS ||
	    s->visibility == STV_HIDDEN || s->visibility == STV_INTERNAL)
		return false;
	/* Mapping symbols, as "$x", say what kind of code begins. */
	if (s->name[0] == '$')
		return r->head->machine != EM_ARM &&
		       (r->arch == NULL || !r->arch->mapping_symbols);
	return s->name[0] != '\0';
}

/*
 * The rank among names of one address, as in choose_best_symbol() of perf's
 * symbol.c; symtab has the rest of its rules.
 */
static unsigned
rank_of(const struct elffile_symbol *s)
{
	const bool is_code = s->type == STT_FUNC || s->type == STT_GNU_IFUNC;

	return (s->size != 0 ? 8u : 0) | (is_code ? 4u : 0) |
	       (s->binding != STB_WEAK ? 2u : 0) |
	       (s->binding == STB_GLOBAL ? 1u : 0);
}

/* Without the version of a symbol, as in "memcpy@@GLIBC_2.14". */
static void
visit(struct elfsyms_reader *r, const struct elffile_symbol *s, uint64_t start)
{
	struct str rest = str_of(s->name);

	if (s->type == STT_FUNC || s->type == STT_NOTYPE)
		r->each(r->arg,
			&(struct elf_function){ .vaddr = start,
						.size = s->size,
						.name = str_cut(&rest, '@') });
	r->added++;
}

static void
add(void *arg, const struct elffile_symbol *s)
{
	struct elfsyms_reader *r = arg;
	const struct elfsyms_code *code;
	uint64_t start = s->value + r->bias, end;

	if (!is_function(r, s))
		return;
	/* The lowest bit selects the instruction set. */
	if (r->head->machine == EM_ARM)
		start &= ~UINT64_C(1);
	code = find_code_at(r, start);
	if (code == NULL)
		return;
	if (r->each != NULL) {
		visit(r, s, start);
		return;
	}
	/* As in perf, a symbol without a size, as _init, covers the PLT. */
	end = code->end;
	if (s->size != 0 && s->size < end - start)
		end = start + s->size;
	if (s->size == 0)
		end = find_end(r, start, end);
	symtab_add(r->symtab, start, end, s->size == 0, rank_of(s),
		   str_of(s->name));
	r->added++;
}

/* Add a symbol table; false if it has no function. */
static bool
add_table(struct elfsyms_reader *r, struct elffile *f, uint32_t type)
{
	const size_t table = elffile_typed(f, type), before = r->added;
	struct elffile_symbol s;
	size_t i;

	for (i = 1; table != 0 && elffile_symbol(f, table, i, &s); i++)
		add(r, &s);
	return r->added > before;
}

/* prelink(8) may have moved the program since the debug file was made. */
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
add_best(struct elfsyms_reader *r, struct elffile *f, struct elffile *debug)
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
	if (r->symtab != NULL)
		elfgo_add(f, r->symtab);
	return source;
}

/*
 * A limit to the size of all names together.  Linkers store equal names, and
 * suffixes of others, only once, but those are few.
 */
static uint64_t
names_limit(const struct elffile *f)
{
	return f == NULL ? 0 : elffile_head(f)->size * 16;
}

struct symtab *
elfsyms_read(struct elffile *f, struct elffile *debug, enum elf_source *source)
{
	struct elfsyms_reader r = { .file = f,
				    .symtab = symtab_new(SYMTAB_BEST),
				    .head = elffile_head(f),
				    .arch = arch_of(elffile_head(f)->machine) };

	symtab_limit(r.symtab, names_limit(f) + names_limit(debug));
	find_code(&r, f);
	find_text(&r);
	*source = add_best(&r, f, debug);
	elfplt_add(f, r.symtab);
	free(r.code);
	symtab_sort(r.symtab);
	return r.symtab;
}

void
elfsyms_each(struct elffile *f, struct elffile *debug,
	     void (*each)(void *arg, const struct elf_function *), void *arg)
{
	struct elfsyms_reader r = { .file = f,
				    .each = each,
				    .arg = arg,
				    .head = elffile_head(f),
				    .arch = arch_of(elffile_head(f)->machine) };

	find_code(&r, f);
	find_text(&r);
	add_best(&r, f, debug);
	free(r.code);
}
