/* die.c - debugging information entries (DIEs), read by libdw. */
#include "elf/die.h"

#include "base/buf.h"
#include "base/mem.h"
#include "elf/elfinflate.h"
#include "os/sys_error.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A file that libdw reads. */
struct die_source {
	Elf *elf;
	Dwarf *dwarf;
	struct buf image; /* the file, if we decompressed its sections */
	bool compressed;  /* libdw decompressed some */
};

/* Where the parts of a section begin that split units use, sorted. */
struct die_bases {
	uint64_t *p;
	size_t n, cap;
};

struct die_forest {
	struct die_source main, shared, empty;
	bool has_split;    /* units in other files */
	struct elffile *f; /* of main */
	struct dwarf_package *package;
	struct die_source **units; /* of the package */
	size_t units_n, units_cap;
	struct die_bases addresses, ranges;
	uint64_t size;         /* of main, in bytes */
	uint64_t extents_left; /* that may be read */
	Dwarf_CU *unit;        /* the last one */
	struct buf path;       /* of a split unit */
	size_t directory_len;  /* of the main file, at the start of path */
};

/* Chains of references between entries are shorter, unless they are loops. */
#define MAX_STEPS 16

_Static_assert(sizeof(struct die) >= sizeof(Dwarf_Die),
	       "an entry of libdw does not fit");

static Dwarf_Die
from(const struct die *d)
{
	Dwarf_Die die;

	memcpy(&die, d, sizeof(die));
	return die;
}

static void
to(struct die *d, const Dwarf_Die *die)
{
	memcpy(d, die, sizeof(*die));
}

/* Whether names and addresses of functions need a section. */
static bool
has_names(struct str section)
{
	static const char *const others[] = { ".debug_line", ".debug_loclists",
					      ".debug_loc", ".debug_aranges",
					      ".debug_macro" };
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (str_eq(section, str_of(others[i])))
			return false;
	}
	return true;
}

/* libdw decompresses all sections of a file at once: hide some of them. */
static void
hide_sections(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf == NULL || elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &header) == NULL ||
		    (header.sh_flags & SHF_COMPRESSED) == 0)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name == NULL || has_names(str_of(name)))
			continue;
		header.sh_type = SHT_NOBITS;
		gelf_update_shdr(scn, &header);
	}
}

static Elf *
open_elf(struct die_source *source, struct elffile *f, bool all)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	if (elffile_fd(f) < 0)
		return elfinflate(f, NULL, &source->image) ?
			   elf_memory(source->image.p, source->image.len) :
			   NULL;
	/*
	 * libdw takes more than twice the time, would do it for each fork
	 * again, and 0.188 does not support zstd.
	 */
	if (elfinflate_compressed(f)) {
		if (elfinflate(f, all ? NULL : has_names, &source->image))
			return elf_memory(source->image.p, source->image.len);
		buf_free(&source->image);
	}
	/* Files may have gigabytes, of which little is read. */
	elf = elf_begin(elffile_fd(f), ELF_C_READ_MMAP_PRIVATE, NULL);
	if (!all)
		hide_sections(elf);
	return elf;
}

/* Without this handler, libdw ends the program with status 1. */
__attribute__((noreturn)) static void
out_of_memory(void)
{
	errno = ENOMEM;
	err(2, "debug information");
}

/*
 * Without a supplementary file, libdw would open the path in .gnu_debugaltlink
 * itself: it does not compare the build-id, and it waits for a FIFO.  So shared
 * may be the empty source, but not NULL.
 */
static void
init_dwarf(Dwarf *dwarf, Dwarf *shared)
{
	dwarf_new_oom_handler(dwarf, out_of_memory);
	dwarf_setalt(dwarf, shared);
}

static void
open_file(struct die_source *source, struct elffile *f, Dwarf *shared, bool all)
{
	errno = 0;
	source->elf = open_elf(source, f, all);
	source->compressed = source->image.len == 0 && elfinflate_compressed(f);
	if (source->elf != NULL)
		source->dwarf = dwarf_begin_elf(source->elf, DWARF_C_READ,
						NULL);
	sys_error_check_fd(elffile_fd(f));
	if (source->dwarf != NULL)
		init_dwarf(source->dwarf, shared);
}

/* A file without content.  The name of its section is enough for libdw. */
static void
open_empty(struct die_source *source)
{
	static const struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[2];
		char names[16];
	} image = { .head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
					   ELFCLASS64,
					   __BYTE_ORDER__ ==
						   __ORDER_LITTLE_ENDIAN__ ?
					       ELFDATA2LSB :
					       ELFDATA2MSB,
					   EV_CURRENT },
			      .e_type = ET_REL,
			      .e_version = EV_CURRENT,
			      .e_shoff = sizeof(Elf64_Ehdr),
			      .e_ehsize = sizeof(Elf64_Ehdr),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = 2,
			      .e_shstrndx = 1 },
		    .sections[1] = { .sh_name = 1,
				     .sh_type = SHT_STRTAB,
				     .sh_offset = sizeof(Elf64_Ehdr) +
						  2 * sizeof(Elf64_Shdr),
				     .sh_size = sizeof(image.names),
				     .sh_addralign = 1 },
		    .names = "\0.debug_frame" };

	/* libelf does not write to it. */
	source->elf = elf_memory((char *)(uintptr_t)&image, sizeof(image));
	if (source->elf != NULL)
		source->dwarf = dwarf_begin_elf(source->elf, DWARF_C_READ,
						NULL);
	if (source->dwarf == NULL)
		out_of_memory();
}

static void
close_file(struct die_source *source)
{
	dwarf_end(source->dwarf);
	elf_end(source->elf);
	buf_free(&source->image);
}

struct die_forest *
die_open(struct elffile *f, struct elffile *shared,
	 struct dwarf_package *package, bool all)
{
	struct die_forest *forest;

	if (elffile_named(f, STR(".debug_info")) == 0 &&
	    elffile_named(f, STR(".zdebug_info")) == 0)
		return NULL;
	forest = mem_zero(1, sizeof(*forest));
	forest->f = f;
	forest->package = package;
	open_empty(&forest->empty);
	if (shared != NULL)
		open_file(&forest->shared, shared, forest->empty.dwarf, all);
	open_file(&forest->main, f,
		  forest->shared.dwarf != NULL ? forest->shared.dwarf :
						 forest->empty.dwarf,
		  all);
	if (forest->main.dwarf == NULL) {
		die_close(forest);
		return NULL;
	}
	elffile_folder(f, &forest->path);
	forest->directory_len = forest->path.len;
	forest->size = elffile_head(f)->size + forest->main.image.len;
	forest->extents_left = forest->size;
	return forest;
}

void
die_close(struct die_forest *forest)
{
	size_t i;

	for (i = 0; i < forest->units_n; i++) {
		close_file(forest->units[i]);
		free(forest->units[i]);
	}
	free(forest->units);
	free(forest->addresses.p);
	free(forest->ranges.p);
	close_file(&forest->main);
	close_file(&forest->shared);
	close_file(&forest->empty);
	buf_free(&forest->path);
	free(forest);
}

/* Forks. */

/* False if there is nothing to read, or libdw would decompress it again. */
static bool
fork_source(struct die_source *source, const struct die_source *base,
	    Dwarf *shared)
{
	size_t size;
	char *image = elf_rawfile(base->elf, &size);

	if (image == NULL || base->compressed)
		return false;
	source->elf = elf_memory(image, size);
	if (source->elf != NULL)
		source->dwarf = dwarf_begin_elf(source->elf, DWARF_C_READ,
						NULL);
	if (source->dwarf != NULL)
		init_dwarf(source->dwarf, shared);
	return source->dwarf != NULL;
}

struct die_forest *
die_fork(const struct die_forest *base)
{
	struct die_forest *fork;

	if (base->has_split)
		return NULL;
	fork = mem_zero(1, sizeof(*fork));
	fork->extents_left = base->size;
	open_empty(&fork->empty);
	if ((base->shared.dwarf != NULL &&
	     !fork_source(&fork->shared, &base->shared, fork->empty.dwarf)) ||
	    !fork_source(&fork->main, &base->main,
			 fork->shared.dwarf != NULL ? fork->shared.dwarf :
						      fork->empty.dwarf)) {
		die_close(fork);
		return NULL;
	}
	return fork;
}

struct die
die_in(const struct die_forest *forest, const struct die *d)
{
	Dwarf_Die die = from(d), own;
	struct die found = *d;

	if (!forest->has_split &&
	    dwarf_cu_getdwarf(die.cu) != forest->main.dwarf &&
	    dwarf_offdie(forest->main.dwarf, dwarf_dieoffset(&die), &own) !=
		NULL)
		to(&found, &own);
	return found;
}

/* Split units. */

static const char *
own_string(Dwarf_Die *die, unsigned kind)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(die, kind, &attribute));
}

static void
add_path(struct buf *path, const char *more)
{
	if (more == NULL)
		return;
	if (*more == '/')
		path->len = 0;
	else if (path->len > 0 && path->p[path->len - 1] != '/')
		buf_char(path, '/');
	buf_str(path, str_of(more));
}

/* False if the path leads to something else than a regular file. */
static bool
is_plain_file(struct die_forest *forest, const char *directory,
	      const char *name)
{
	struct stat st;

	forest->path.len = forest->directory_len;
	add_path(&forest->path, directory);
	add_path(&forest->path, name);
	buf_char(&forest->path, '\0');
	return stat(forest->path.p, &st) != 0 || S_ISREG(st.st_mode);
}

static const char *
split_name(Dwarf_Die *skeleton)
{
	const char *name = own_string(skeleton, DW_AT_dwo_name);

	return name != NULL ? name : own_string(skeleton, DW_AT_GNU_dwo_name);
}

/*
 * Get the top of a split unit.  libdw searches the directory of the main file,
 * then that of the compiler, and would wait for a FIFO.
 */
static bool
open_split(struct die_forest *forest, Dwarf_Die *skeleton, Dwarf_Die *split)
{
	const char *directory = own_string(skeleton, DW_AT_comp_dir);
	const char *name = split_name(skeleton);
	Dwarf *dwarf;
	size_t size;

	if (name == NULL || !is_plain_file(forest, NULL, name) ||
	    !is_plain_file(forest, directory, name))
		return false;
	if (dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, split, NULL, NULL,
			  NULL) != 0 ||
	    split->addr == NULL)
		return false;
	dwarf = dwarf_cu_getdwarf(split->cu);
	init_dwarf(dwarf, forest->empty.dwarf);
	if (elf_rawfile(dwarf_getelf(dwarf), &size) != NULL)
		forest->extents_left += size;
	return true;
}

/* Units of a package. */

/* A number that a skeleton has by its name in DWARF 5 or 4; 0 if it has none.
 */
static uint64_t
base_of(Dwarf_Die *skeleton, unsigned kind, unsigned old_kind)
{
	Dwarf_Attribute attribute;
	Dwarf_Word n;

	if ((dwarf_attr(skeleton, kind, &attribute) == NULL &&
	     dwarf_attr(skeleton, old_kind, &attribute) == NULL) ||
	    dwarf_formudata(&attribute, &n) != 0)
		return 0;
	return n;
}

static uint64_t
addresses_of(Dwarf_Die *skeleton)
{
	return base_of(skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base);
}

static uint64_t
ranges_of(Dwarf_Die *skeleton)
{
	return base_of(skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base);
}

static void
add_base(struct die_bases *b, uint64_t base)
{
	b->p = mem_grow(b->p, &b->cap, b->n + 1, sizeof(*b->p));
	b->p[b->n++] = base;
}

static int
compare_bases(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
find_bases(struct die_forest *forest)
{
	struct die_bases *a = &forest->addresses, *r = &forest->ranges;
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;

	while (dwarf_get_units(forest->main.dwarf, unit, &unit, NULL, &type,
			       &die, NULL) == 0) {
		if (type != DW_UT_skeleton)
			continue;
		add_base(a, addresses_of(&die));
		add_base(r, ranges_of(&die));
	}
	if (a->n == 0)
		return;
	qsort(a->p, a->n, sizeof(*a->p), compare_bases);
	qsort(r->p, r->n, sizeof(*r->p), compare_bases);
}

/* The part of a section from a base on, up to the next base. */
static struct str
part_from(struct die_forest *forest, struct str name, const struct die_bases *b,
	  uint64_t base)
{
	struct str bytes = elffile_bytes(forest->f,
					 elffile_named(forest->f, name));
	size_t low = 0, high = b->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (b->p[mid] <= base)
			low = mid + 1;
		else
			high = mid;
	}
	if (base > bytes.len)
		return (struct str){ 0 };
	if (low < b->n && b->p[low] < bytes.len)
		bytes.len = b->p[low];
	return str_skip(bytes, base);
}

/* The unit of a file that has only that. */
static bool
open_unit(struct die_source *source, Dwarf *shared, Dwarf_Die *top)
{
	Dwarf_CU *unit;
	uint8_t type;

	source->elf = elf_memory(source->image.p, source->image.len);
	if (source->elf != NULL)
		source->dwarf = dwarf_begin_elf(source->elf, DWARF_C_READ,
						NULL);
	if (source->dwarf == NULL)
		return false;
	init_dwarf(source->dwarf, shared);
	return dwarf_get_units(source->dwarf, NULL, &unit, NULL, &type, top,
			       NULL) == 0 &&
	       type == DW_UT_split_compile;
}

static bool
open_packaged(struct die_forest *forest, Dwarf_Die *skeleton, Dwarf_Die *top,
	      uint64_t *base)
{
	struct dwarf_package_main m = {
		.machine = elffile_head(forest->f)->machine
	};
	struct die_source *source;
	uint64_t id;
	bool ok;

	if (forest->package == NULL ||
	    dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, NULL, &id,
			  &m.address_size, NULL) != 0)
		return false;
	if (forest->addresses.n == 0)
		find_bases(forest);
	m.addresses = part_from(forest, STR(".debug_addr"), &forest->addresses,
				addresses_of(skeleton));
	m.ranges = part_from(forest, STR(".debug_ranges"), &forest->ranges,
			     ranges_of(skeleton));
	if (dwarf_lowpc(skeleton, &m.base) != 0)
		m.base = 0;
	source = mem_zero(1, sizeof(*source));
	errno = 0;
	ok = dwarf_package_unit(forest->package, id, &m, &source->image) &&
	     open_unit(source, forest->empty.dwarf, top);
	sys_error_check("debug information");
	if (!ok) {
		close_file(source);
		free(source);
		return false;
	}
	*base = m.base;
	forest->extents_left += source->image.len;
	forest->units = mem_grow(forest->units, &forest->units_cap,
				 forest->units_n + 1, sizeof(*forest->units));
	forest->units[forest->units_n++] = source;
	return true;
}

bool
die_unit(struct die_forest *forest, struct die *head)
{
	Dwarf_Die die;
	uint8_t type;

	errno = 0;
	do {
		if (dwarf_get_units(forest->main.dwarf, forest->unit,
				    &forest->unit, NULL, &type, &die,
				    NULL) != 0) {
			sys_error_check("debug information");
			return false;
		}
	} while (type != DW_UT_compile && type != DW_UT_partial &&
		 type != DW_UT_skeleton);
	to(head, &die);
	forest->has_split |= type == DW_UT_skeleton;
	return true;
}

bool
die_top(struct die_forest *forest, const struct die *head, struct die *top,
	uint64_t *base)
{
	Dwarf_Die die = from(head), split;
	uint8_t type;

	*top = *head;
	*base = 0;
	if (dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) !=
		0 ||
	    type != DW_UT_skeleton)
		return true;
	if (!open_packaged(forest, &die, &split, base) &&
	    !open_split(forest, &die, &split))
		return false;
	to(top, &split);
	return true;
}

struct str
die_split_name(const struct die *head)
{
	Dwarf_Die die = from(head);
	const char *name = split_name(&die);

	return name == NULL ? (struct str){ 0 } : str_of(name);
}

bool
die_child(const struct die *d, struct die *child)
{
	Dwarf_Die die = from(d), found;

	if (dwarf_child(&die, &found) != 0)
		return false;
	to(child, &found);
	return true;
}

bool
die_next(struct die *d)
{
	Dwarf_Die die = from(d), found;

	if (dwarf_siblingof(&die, &found) != 0)
		return false;
	to(d, &found);
	return true;
}

enum die_kind
die_kind(const struct die *d)
{
	Dwarf_Die die = from(d);

	switch (dwarf_tag(&die)) {
	case DW_TAG_subprogram:
		return DIE_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return DIE_INLINED;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return DIE_BLOCK;
	case DW_TAG_namespace:
	case DW_TAG_module:
		return DIE_NAMESPACE;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
		return DIE_TYPE;
	default:
		return DIE_OTHER;
	}
}

uint64_t
die_offset(const struct die *d)
{
	Dwarf_Die die = from(d);

	return dwarf_dieoffset(&die);
}

bool
die_at(const struct die *in, uint64_t offset, struct die *d)
{
	Dwarf_Die die;

	if (dwarf_offdie(dwarf_cu_getdwarf(from(in).cu), offset, &die) == NULL)
		return false;
	to(d, &die);
	return true;
}

bool
die_same_unit(const struct die *a, const struct die *b)
{
	return from(a).cu == from(b).cu;
}

uint64_t
die_unit_offset(const struct die *d)
{
	Dwarf_Die die = from(d), top;

	if (dwarf_diecu(&die, &top, NULL, NULL) == NULL)
		return 0;
	return dwarf_dieoffset(&top);
}

void
die_declaration(struct die *d)
{
	static const unsigned links[] = { DW_AT_abstract_origin,
					  DW_AT_specification };
	Dwarf_Die die = from(d), next;
	Dwarf_Attribute attribute;
	unsigned i, steps = 0;

	for (i = 0; i < 2 && steps < MAX_STEPS; i++) {
		if (dwarf_attr(&die, links[i], &attribute) == NULL ||
		    dwarf_formref_die(&attribute, &next) == NULL)
			continue;
		die = next;
		steps++;
		i = UINT32_MAX; /* try both again */
	}
	to(d, &die);
}

static struct str
string_of(const struct die *d, unsigned kind)
{
	Dwarf_Die die = from(d);
	Dwarf_Attribute attribute;
	const char *s = dwarf_formstring(
	    dwarf_attr_integrate(&die, kind, &attribute));

	return s == NULL ? (struct str){ 0 } : str_of(s);
}

struct str
die_name(const struct die *d)
{
	return string_of(d, DW_AT_name);
}

bool
die_is_named(const struct die *d)
{
	Dwarf_Die die = from(d);

	return dwarf_hasattr(&die, DW_AT_name) != 0;
}

struct str
die_linkage_name(const struct die *d)
{
	struct str name = string_of(d, DW_AT_linkage_name);

	/* The attribute before DWARF 4. */
	return name.len > 0 ? name : string_of(d, DW_AT_MIPS_linkage_name);
}

static bool
number_of(const struct die *d, unsigned kind, uint32_t *number)
{
	Dwarf_Die die = from(d);
	Dwarf_Attribute attribute;
	Dwarf_Word n;

	if (dwarf_attr(&die, kind, &attribute) == NULL ||
	    dwarf_formudata(&attribute, &n) != 0 || n > UINT32_MAX)
		return false;
	*number = (uint32_t)n;
	return true;
}

bool
die_call_file(const struct die *d, uint32_t *number)
{
	return number_of(d, DW_AT_call_file, number);
}

bool
die_call_line(const struct die *d, uint32_t *line)
{
	return number_of(d, DW_AT_call_line, line);
}

/*
 * Entries may share a list of ranges.  Compilers use that rarely, and no range
 * takes a single byte, so a file that has more ranges than bytes is hostile.
 */
void
die_extents(struct die_forest *forest, const struct die *d, uint64_t base,
	    struct intervals *e, size_t what)
{
	Dwarf_Die die = from(d);
	Dwarf_Addr selected, start, end;
	ptrdiff_t offset = 0;

	while (forest->extents_left > 0 &&
	       (offset = dwarf_ranges(&die, offset, &selected, &start, &end)) >
		   0) {
		forest->extents_left--;
		start += base;
		end += base;
		if (start < end && start != 0)
			intervals_add(e, start, end, what);
	}
}

struct str
die_file(const struct die *top, uint32_t number)
{
	Dwarf_Die die = from(top);
	Dwarf_Files *files;
	const char *name;
	size_t n;

	if (dwarf_getsrcfiles(&die, &files, &n) != 0)
		return (struct str){ 0 };
	name = dwarf_filesrc(files, number, NULL, NULL);
	return name == NULL ? (struct str){ 0 } : str_of(name);
}

void
die_lines(const struct die *head,
	  void (*each)(void *arg, const struct elf_line *line), void *arg)
{
	Dwarf_Die die = from(head);
	struct elf_line line;
	bool begins, ends;
	Dwarf_Lines *lines;
	Dwarf_Line *row;
	size_t i, n;
	int number;

	if (dwarf_getsrclines(&die, &lines, &n) != 0)
		return;
	for (i = 0; i < n; i++) {
		row = dwarf_onesrcline(lines, i);
		if (dwarf_linebeginstatement(row, &begins) != 0 ||
		    dwarf_lineendsequence(row, &ends) != 0 || !begins || ends ||
		    dwarf_lineaddr(row, &line.vaddr) != 0 ||
		    dwarf_linesrc(row, NULL, NULL) == NULL ||
		    dwarf_lineno(row, &number) != 0)
			continue;
		line.file = str_of(dwarf_linesrc(row, NULL, NULL));
		line.line = (uint32_t)number;
		each(arg, &line);
	}
}

bool
die_line(const struct die *head, uint64_t vaddr, struct str *file,
	 uint32_t *line)
{
	Dwarf_Die die = from(head);
	Dwarf_Line *found = dwarf_getsrc_die(&die, vaddr);
	const char *name = dwarf_linesrc(found, NULL, NULL);
	int n;

	if (name == NULL || dwarf_lineno(found, &n) != 0 || n <= 0)
		return false;
	*file = str_of(name);
	*line = (uint32_t)n;
	return true;
}
