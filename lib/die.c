/* die.c - entries of debug information, by libdw. */
#include "die.h"

#include "buf.h"
#include "elfinflate.h"
#include "mem.h"
#include "outage.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>

/* A file that libdw reads. */
struct file {
	Elf *elf;
	Dwarf *dwarf;
	struct buf image; /* if sections had to be decompressed by us */
};

struct dies {
	struct file file, shared;
	Dwarf_CU *unit; /* the last one */
};

/* A way from entry to entry is not longer, unless it goes in circles. */
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

static Elf *
open_elf(struct file *file, struct elffile *f)
{
	elf_version(EV_CURRENT);
	if (elffile_fd(f) < 0)
		return elfinflate(f, &file->image) ?
			   elf_memory(file->image.p, file->image.len) :
			   NULL;
	/* libdw 0.188 does not know zstd. */
	if (elfinflate_needed(f) && elfinflate(f, &file->image))
		return elf_memory(file->image.p, file->image.len);
	/* Gigabytes, of which little is read, are mapped. */
	return elf_begin(elffile_fd(f), ELF_C_READ_MMAP, NULL);
}

/* libdw's own one ends the program with status 1. */
__attribute__((noreturn)) static void
out_of_memory(void)
{
	errno = ENOMEM;
	err(2, NULL);
}

static void
open_file(struct file *file, struct elffile *f)
{
	errno = 0;
	file->elf = open_elf(file, f);
	if (file->elf != NULL)
		file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	outage_check_fd(elffile_fd(f));
	if (file->dwarf != NULL)
		dwarf_new_oom_handler(file->dwarf, out_of_memory);
}

static void
close_file(struct file *file)
{
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	buf_free(&file->image);
}

struct dies *
dies_open(struct elffile *f, struct elffile *shared)
{
	struct dies *all;

	if (elffile_named(f, STR(".debug_info")) == 0 &&
	    elffile_named(f, STR(".zdebug_info")) == 0)
		return NULL;
	all = mem_zero(1, sizeof(*all));
	open_file(&all->file, f);
	if (all->file.dwarf == NULL) {
		dies_close(all);
		return NULL;
	}
	if (shared != NULL)
		open_file(&all->shared, shared);
	if (all->shared.dwarf != NULL)
		dwarf_setalt(all->file.dwarf, all->shared.dwarf);
	return all;
}

void
dies_close(struct dies *all)
{
	close_file(&all->file);
	close_file(&all->shared);
	free(all);
}

bool
dies_unit(struct dies *all, struct die *head, struct die *top)
{
	Dwarf_Die die, split;
	uint8_t type;

	errno = 0;
	do {
		if (dwarf_get_units(all->file.dwarf, all->unit, &all->unit,
				    NULL, &type, &die, &split) != 0) {
			outage_check("debug information");
			return false;
		}
	} while (type != DW_UT_compile && type != DW_UT_partial &&
		 type != DW_UT_skeleton);
	to(head, &die);
	if (type == DW_UT_skeleton && split.addr != NULL)
		to(top, &split);
	else
		to(top, &die);
	return true;
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
dies_at(struct dies *all, uint64_t offset, struct die *d)
{
	Dwarf_Die die;

	if (dwarf_offdie(all->file.dwarf, offset, &die) == NULL)
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
	static const unsigned ways[] = { DW_AT_abstract_origin,
					 DW_AT_specification };
	Dwarf_Die die = from(d), next;
	Dwarf_Attribute attribute;
	unsigned i, steps = 0;

	for (i = 0; i < 2 && steps < MAX_STEPS; i++) {
		if (dwarf_attr(&die, ways[i], &attribute) == NULL ||
		    dwarf_formref_die(&attribute, &next) == NULL)
			continue;
		die = next;
		steps++;
		i = UINT32_MAX; /* both ways again */
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

struct str
die_linkage_name(const struct die *d)
{
	struct str name = string_of(d, DW_AT_linkage_name);

	/* What it was before DWARF 4. */
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

void
die_extents(const struct die *d, struct extents *e, size_t what)
{
	Dwarf_Die die = from(d);
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(&die, offset, &base, &start, &end)) > 0) {
		if (start < end && start != 0)
			extents_add(e, start, end, what);
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

bool
die_line(const struct die *top, uint64_t vaddr, struct str *file,
	 uint32_t *line)
{
	Dwarf_Die die = from(top);
	Dwarf_Line *found = dwarf_getsrc_die(&die, vaddr);
	const char *name = dwarf_linesrc(found, NULL, NULL);
	int n;

	if (name == NULL || dwarf_lineno(found, &n) != 0 || n <= 0)
		return false;
	*file = str_of(name);
	*line = (uint32_t)n;
	return true;
}
