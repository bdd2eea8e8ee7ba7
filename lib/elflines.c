/* elflines.c - lines and inlined functions, by libdw. */
#include "elflines.h"

#include "arena.h"
#include "elfinflate.h"
#include "extents.h"
#include "mem.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <unistd.h>

static int
find_nothing(Dwfl_Module *module, void **data, const char *name,
	     Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
	     char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)path;
	(void)link, (void)crc, (void)found;
	return -1;
}

static void
add_symbols(Dwfl_Module *module,
	    void (*add)(void *arg, const struct elffile_symbol *), void *arg)
{
	const int n = dwfl_module_getsymtab(module);
	struct elffile_symbol symbol;
	const char *name;
	GElf_Word section;
	GElf_Sym s;
	int i;

	for (i = 1; i < n; i++) {
		/* No address is adjusted: the base is 0. */
		name = dwfl_module_getsym(module, i, &s, &section);
		if (name == NULL)
			continue;
		symbol = (struct elffile_symbol){
			.name = str_of(name),
			.value = s.st_value,
			.size = s.st_size,
			.section = s.st_shndx,
			.type = GELF_ST_TYPE(s.st_info),
			.binding = GELF_ST_BIND(s.st_info),
			.visibility = GELF_ST_VISIBILITY(s.st_other)
		};
		add(arg, &symbol);
	}
}

bool
elflines_minidebug(int fd,
		   void (*add)(void *arg, const struct elffile_symbol *),
		   void *arg)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_nothing,
		.section_address = dwfl_offline_section_address
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;
	bool found = false;

	if (dwfl == NULL)
		return false;
	dwfl_report_begin(dwfl);
	fd = dup(fd);
	/* The module has the descriptor then. */
	module = dwfl_report_elf(dwfl, "", "", fd, 0, true);
	if (module == NULL)
		close(fd);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module != NULL) {
		add_symbols(module, add, arg);
		found = true;
	}
	dwfl_end(dwfl);
	return found;
}

/*
 * Debug information is read as far as it is asked for: which unit (DWARF 5,
 * 3.1.1) has an address, from the heads of all units; of a unit that is hit,
 * where its functions are; of a function that is hit, what was inlined where.
 */

/* A function, or another one inlined into it, and where that was called. */
struct scope {
	struct str name;
	size_t outer; /* into which it was inlined, or NONE */
	struct str call_file;
	uint32_t call_line;
	unsigned depth;
};

struct function {
	Dwarf_Die die;
	bool read;
	struct scope *scopes; /* the function itself first */
	size_t scopes_n, scopes_cap;
	struct extents extents; /* of scopes */
};

struct unit {
	Dwarf_Die die;
	bool read;
	struct function *functions;
	size_t functions_n, functions_cap;
	struct extents extents; /* of functions, sorted */
};

/* What was found at an address; n 0: nothing. */
struct answer {
	uint64_t vaddr;
	const struct elf_frame *frames;
	size_t n;
	bool used;
};

struct elflines {
	Elf *elf;
	Dwarf *dwarf;
	struct buf image; /* if sections had to be decompressed by us */
	struct unit *units;
	size_t units_n, units_cap;
	struct extents extents; /* of units, sorted */
	struct arena arena;
	struct answer *answers; /* a hash table, at most half full */
	size_t answers_n, answers_cap;
};

#define NONE SIZE_MAX

/* Compilers nest lexical blocks and inlined functions some dozens deep. */
#define MAX_DEPTH 256

/* Add where a DIE is; code that a linker left out is at 0. */
static void
add_extents(struct extents *e, Dwarf_Die *die, size_t what)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
		if (start < end && start != 0)
			extents_add(e, start, end, what);
	}
}

static void
read_units(struct elflines *l)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(l->dwarf, cu, &cu, NULL, &type, &die, &split) ==
	       0) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		l->units = mem_grow(l->units, &l->units_cap, l->units_n + 1,
				    sizeof(*l->units));
		l->units[l->units_n] = (struct unit){
			.die = type == DW_UT_skeleton && split.addr != NULL ?
				   split :
				   die
		};
		add_extents(&l->extents, &die, l->units_n);
		l->units_n++;
	}
	extents_sort(&l->extents);
}

static Elf *
open_elf(struct elflines *l, struct elffile *f)
{
	elf_version(EV_CURRENT);
	if (elffile_fd(f) < 0)
		return elfinflate(f, &l->image) ?
			   elf_memory(l->image.p, l->image.len) :
			   NULL;
	/* libdw 0.188 does not know zstd. */
	if (elfinflate_needed(f) && elfinflate(f, &l->image))
		return elf_memory(l->image.p, l->image.len);
	/* Gigabytes, of which little is read, are mapped. */
	return elf_begin(elffile_fd(f), ELF_C_READ_MMAP, NULL);
}

struct elflines *
elflines_open(struct elffile *f)
{
	struct elflines *l;

	if (elffile_named(f, STR(".debug_info")) == 0 &&
	    elffile_named(f, STR(".zdebug_info")) == 0)
		return NULL;
	l = mem_zero(1, sizeof(*l));
	l->elf = open_elf(l, f);
	if (l->elf != NULL)
		l->dwarf = dwarf_begin_elf(l->elf, DWARF_C_READ, NULL);
	if (l->dwarf == NULL) {
		elflines_close(l);
		return NULL;
	}
	read_units(l);
	return l;
}

static void
free_unit(struct unit *u)
{
	size_t i;

	for (i = 0; i < u->functions_n; i++) {
		free(u->functions[i].scopes);
		free(u->functions[i].extents.p);
	}
	free(u->functions);
	free(u->extents.p);
}

void
elflines_close(struct elflines *l)
{
	size_t i;

	if (l == NULL)
		return;
	for (i = 0; i < l->units_n; i++)
		free_unit(&l->units[i]);
	free(l->units);
	free(l->extents.p);
	free(l->answers);
	arena_free(&l->arena);
	dwarf_end(l->dwarf);
	elf_end(l->elf);
	buf_free(&l->image);
	free(l);
}

/* Functions lie in units, and in what groups names; bodies are left out. */
static void
find_functions(struct unit *u, Dwarf_Die *outer, unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(outer, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			u->functions = mem_grow(u->functions, &u->functions_cap,
						u->functions_n + 1,
						sizeof(*u->functions));
			u->functions[u->functions_n] =
			    (struct function){ .die = die };
			add_extents(&u->extents, &die, u->functions_n++);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_enumeration_type:
			find_functions(u, &die, depth + 1);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static struct function *
function_of(struct elflines *l, uint64_t vaddr, struct unit **unit)
{
	size_t i = extents_find(&l->extents, vaddr);
	struct unit *u;

	if (i == NONE)
		return NULL;
	*unit = u = &l->units[i];
	if (!u->read) {
		u->read = true;
		find_functions(u, &u->die, 0);
		extents_sort(&u->extents);
	}
	i = extents_find(&u->extents, vaddr);
	return i == NONE ? NULL : &u->functions[i];
}

/* The name a linker would know, or the plain one; kept by the file. */
static struct str
name_of(Dwarf_Die *die)
{
	static const unsigned kinds[] = { DW_AT_linkage_name,
					  DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attribute;
	const char *name;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (dwarf_attr_integrate(die, kinds[i], &attribute) == NULL)
			continue;
		name = dwarf_formstring(&attribute);
		if (name != NULL)
			return str_of(name);
	}
	return (struct str){ 0 };
}

static uint32_t
number_of(Dwarf_Die *die, unsigned kind)
{
	Dwarf_Attribute attribute;
	Dwarf_Word n;

	if (dwarf_attr(die, kind, &attribute) == NULL ||
	    dwarf_formudata(&attribute, &n) != 0 || n > UINT32_MAX)
		return 0;
	return (uint32_t)n;
}

/* The file of a number of a unit's line table. */
static struct str
file_of(struct unit *u, uint32_t number)
{
	Dwarf_Files *files;
	const char *name;
	size_t n;

	if (number == 0 || dwarf_getsrcfiles(&u->die, &files, &n) != 0)
		return (struct str){ 0 };
	name = dwarf_filesrc(files, number, NULL, NULL);
	return name == NULL ? (struct str){ 0 } : str_of(name);
}

static void
add_scope(struct unit *u, struct function *f, Dwarf_Die *die, size_t outer,
	  unsigned depth)
{
	f->scopes = mem_grow(f->scopes, &f->scopes_cap, f->scopes_n + 1,
			     sizeof(*f->scopes));
	f->scopes[f->scopes_n] = (struct scope){
		.name = name_of(die),
		.outer = outer,
		.call_file = file_of(u, number_of(die, DW_AT_call_file)),
		.call_line = number_of(die, DW_AT_call_line),
		.depth = depth
	};
	add_extents(&f->extents, die, f->scopes_n++);
}

/* What was inlined in a scope, and in lexical blocks of it. */
static void
find_scopes(struct unit *u, struct function *f, Dwarf_Die *in, size_t scope,
	    unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(in, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			add_scope(u, f, &die, scope, depth + 1);
			find_scopes(u, f, &die, f->scopes_n - 1, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			find_scopes(u, f, &die, scope, depth + 1);
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

/* The innermost scope at an address. */
static size_t
innermost(const struct function *f, uint64_t vaddr)
{
	const struct extent *e;
	size_t best = 0, i;

	for (i = 0; i < f->extents.n; i++) {
		e = &f->extents.p[i];
		if (vaddr >= e->start && vaddr < e->end &&
		    f->scopes[e->what].depth >= f->scopes[best].depth)
			best = e->what;
	}
	return best;
}

static void
line_at(struct unit *u, uint64_t vaddr, struct elf_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&u->die, vaddr);
	const char *file;
	int n;

	if (line == NULL)
		return;
	file = dwarf_linesrc(line, NULL, NULL);
	if (file != NULL)
		frame->file = str_of(file);
	if (dwarf_lineno(line, &n) == 0 && n > 0)
		frame->line = (uint32_t)n;
}

static void
look_up(struct elflines *l, struct answer *answer)
{
	struct unit *u;
	struct function *f = function_of(l, answer->vaddr, &u);
	struct elf_frame *frames, at = { 0 };
	size_t scope, i;

	if (f == NULL)
		return;
	if (!f->read) {
		f->read = true;
		add_scope(u, f, &f->die, NONE, 0);
		find_scopes(u, f, &f->die, 0, 0);
	}
	line_at(u, answer->vaddr, &at);
	scope = innermost(f, answer->vaddr);
	for (i = scope; i != NONE; i = f->scopes[i].outer)
		answer->n++;
	frames = arena_alloc(&l->arena, answer->n * sizeof(*frames));
	answer->frames = frames;
	for (i = scope; i != NONE; i = f->scopes[i].outer) {
		at.name = f->scopes[i].name;
		at.inlined = f->scopes[i].outer != NONE;
		*frames++ = at;
		/* Where it was called is where its caller is. */
		at.file = f->scopes[i].call_file;
		at.line = f->scopes[i].call_line;
	}
}

static struct answer *
slot_of(struct answer *table, size_t cap, uint64_t vaddr)
{
	size_t i = (size_t)(vaddr * UINT64_C(0x9e3779b97f4a7c15) >> 20);

	for (i &= cap - 1; table[i].used && table[i].vaddr != vaddr;)
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static void
grow(struct elflines *l)
{
	const size_t cap = l->answers_cap > 0 ? 2 * l->answers_cap : 64;
	struct answer *table = mem_zero(cap, sizeof(*table));
	size_t i;

	for (i = 0; i < l->answers_cap; i++)
		if (l->answers[i].used)
			*slot_of(table, cap,
				 l->answers[i].vaddr) = l->answers[i];
	free(l->answers);
	l->answers = table;
	l->answers_cap = cap;
}

size_t
elflines_find(struct elflines *l, uint64_t vaddr,
	      const struct elf_frame **frames)
{
	struct answer *answer;

	if (2 * l->answers_n >= l->answers_cap)
		grow(l);
	answer = slot_of(l->answers, l->answers_cap, vaddr);
	if (!answer->used) {
		*answer = (struct answer){ .vaddr = vaddr, .used = true };
		l->answers_n++;
		look_up(l, answer);
	}
	*frames = answer->frames;
	return answer->n;
}
