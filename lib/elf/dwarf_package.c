/* dwarf_package.c - split debug information in a package (.dwp). */
#include "elf/dwarf_package.h"

#include "base/cursor.h"
#include "base/mem.h"
#include "base/u64map.h"

#include <elf.h>
#include <stdlib.h>

/* The parts of a unit, by the names of their sections without ".dwo". */
enum dwarf_package_part {
	PART_INFO,
	PART_ABBREV,
	PART_LINE,
	PART_LOC,
	PART_LOCLISTS,
	PART_RNGLISTS,
	PART_STR_OFFSETS,
	PART_STR,
	PART_ADDR,
	PART_RANGES,
	PARTS
};

static const char *const part_names[PARTS] = {
	".debug_info",        ".debug_abbrev",   ".debug_line",
	".debug_loc",         ".debug_loclists", ".debug_rnglists",
	".debug_str_offsets", ".debug_str",      ".debug_addr",
	".debug_ranges"
};

struct dwarf_package {
	struct elffile *f;
	struct str index;
	uint32_t version, columns, units, slots;
	struct str hashes, rows, ids, offsets, sizes; /* tables of the index */
	struct u64map row_of;                         /* an id's row, from 0 */
	struct str sections[PARTS];
};

/* Numbers of the index; the caller checks that they are in the table. */

static uint32_t
number(struct str table, size_t i)
{
	uint32_t n;

	memcpy(&n, table.p + i * sizeof(n), sizeof(n));
	return n;
}

static uint64_t
hash(const struct dwarf_package *p, size_t i)
{
	uint64_t n;

	memcpy(&n, p->hashes.p + i * sizeof(n), sizeof(n));
	return n;
}

/* The part that a DW_SECT_* number means; PARTS: another one. */
static enum dwarf_package_part
part_of(const struct dwarf_package *p, uint32_t id)
{
	static const enum dwarf_package_part old[] = {
		PARTS,     PART_INFO, PARTS,           PART_ABBREV,
		PART_LINE, PART_LOC,  PART_STR_OFFSETS
	};
	static const enum dwarf_package_part new[] = {
		PARTS,         PART_INFO,        PARTS, PART_ABBREV,  PART_LINE,
		PART_LOCLISTS, PART_STR_OFFSETS, PARTS, PART_RNGLISTS
	};

	if (p->version == 2)
		return id < sizeof(old) / sizeof(*old) ? old[id] : PARTS;
	return id < sizeof(new) / sizeof(*new) ? new[id] : PARTS;
}

static bool
read_index(struct dwarf_package *p)
{
	struct cursor c = cursor_of(p->index, false);
	uint64_t cells;

	/* Version 5 has 16 bits and padding. */
	p->version = cursor_u32(&c) & 0xffff;
	p->columns = cursor_u32(&c);
	p->units = cursor_u32(&c);
	p->slots = cursor_u32(&c);
	if ((p->version != 2 && p->version != 5) || p->columns > 64 ||
	    p->slots == 0 || (p->slots & (p->slots - 1)) != 0)
		return false;
	p->hashes = cursor_bytes(&c, (uint64_t)p->slots * 8);
	p->rows = cursor_bytes(&c, (uint64_t)p->slots * 4);
	p->ids = cursor_bytes(&c, (uint64_t)p->columns * 4);
	cells = (uint64_t)p->columns * p->units;
	p->offsets = cursor_bytes(&c, cells * 4);
	p->sizes = cursor_bytes(&c, cells * 4);
	return !c.bad;
}

/*
 * The index is a hash table, which should be a third empty.  In one without
 * empty slots, each search for an id that is not there would take all slots.
 * So copy it into a table of ours.
 */
static void
map_rows(struct dwarf_package *p)
{
	uint32_t i, row;

	/* The first of equal ids is put last, which replaces the others. */
	for (i = p->slots; i-- > 0;) {
		row = number(p->rows, i);
		if (row > 0 && row <= p->units)
			u64map_put(&p->row_of, hash(p, i), row - 1);
	}
}

struct dwarf_package *
dwarf_package_new(struct elffile *f)
{
	struct dwarf_package *p = mem_zero(1, sizeof(*p));

	p->f = f;
	p->index = elffile_bytes(f, elffile_named(f, STR(".debug_cu_index")));
	if (!elffile_head(f)->swap && read_index(p)) {
		map_rows(p);
		return p;
	}
	dwarf_package_free(p);
	return NULL;
}

void
dwarf_package_free(struct dwarf_package *p)
{
	if (p == NULL)
		return;
	elffile_close(p->f);
	u64map_free(&p->row_of);
	free(p);
}

/* A whole section of the package. */
static struct str
section(struct dwarf_package *p, enum dwarf_package_part part)
{
	char name[32];
	size_t n = strlen(part_names[part]);

	if (p->sections[part].p != NULL)
		return p->sections[part];
	memcpy(name, part_names[part], n);
	memcpy(name + n, ".dwo", sizeof(".dwo"));
	p->sections[part] = elffile_bytes(p->f,
					  elffile_named(p->f, str_of(name)));
	return p->sections[part];
}

static void
find_parts(struct dwarf_package *p, uint32_t row, struct str parts[PARTS])
{
	struct str whole;
	enum dwarf_package_part part;
	uint32_t i, offset, size;

	for (i = 0; i < p->columns; i++) {
		part = part_of(p, number(p->ids, i));
		if (part == PARTS)
			continue;
		whole = section(p, part);
		offset = number(p->offsets, (size_t)row * p->columns + i);
		size = number(p->sizes, (size_t)row * p->columns + i);
		if (whole.p != NULL && offset <= whole.len &&
		    size <= whole.len - offset)
			parts[part] = (struct str){ whole.p + offset, size };
	}
}

/* Strings. */

/* Sizes of the head of .debug_str_offsets and of its numbers. */
static void
measure_offsets(const struct dwarf_package *p, struct str offsets, size_t *head,
		size_t *width)
{
	const bool is_64 = p->version == 5 && offsets.len >= 16 &&
			   memcmp(offsets.p, "\xff\xff\xff\xff", 4) == 0;

	*head = p->version == 2 ? 0 : is_64 ? 16 : 8;
	*width = is_64 ? 8 : 4;
}

/*
 * All units share the strings, which may be most of the package.  So copy those
 * of the unit, and change the offsets.  If they are longer than all strings,
 * the index is odd: false.
 */
static bool
copy_strings(const struct dwarf_package *p, struct str strings,
	     struct buf *offsets, struct buf *copy)
{
	size_t head, width, at, to;
	const char *end;
	uint64_t n;

	measure_offsets(p, buf_slice(offsets), &head, &width);
	buf_char(copy, '\0');
	for (at = head; at + width <= offsets->len; at += width) {
		n = 0;
		memcpy(&n, offsets->p + at, width);
		end = n < strings.len ?
			  memchr(strings.p + n, '\0', strings.len - n) :
			  NULL;
		if (end != NULL &&
		    (size_t)(end - strings.p) - n > strings.len - copy->len)
			return false;
		to = copy->len;
		if (end != NULL)
			buf_str(copy, str_range(strings.p + n, end + 1));
		n = end != NULL ? to : 0;
		memcpy(offsets->p + at, &n, width);
	}
	return true;
}

/* The ELF file. */

/* Append the addresses, minus the base. */
static void
add_addresses(const struct dwarf_package_main *m, struct buf *to)
{
	const size_t width = m->address_size;
	size_t at;
	uint64_t n = 0;

	for (at = 0; at + width <= m->addresses.len; at += width) {
		memcpy(&n, m->addresses.p + at, width);
		n -= m->base;
		buf_add(to, &n, width);
	}
}

/* Sections 1 to PARTS, and one for their names, which are below the headers. */
static void
add_image(const struct str parts[PARTS], int machine, struct buf *image)
{
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
				 ELFDATA2LSB :
				 ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = (Elf64_Half)machine,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = PARTS + 2,
		.e_shstrndx = PARTS + 1
	};
	Elf64_Shdr sections[PARTS + 2] = { { 0 } };
	Elf64_Shdr *names = &sections[PARTS + 1];
	size_t i, start = image->len;

	buf_add(image, &head, sizeof(head));
	buf_add(image, sections, sizeof(sections));
	names->sh_type = SHT_STRTAB;
	names->sh_offset = image->len - start;
	names->sh_addralign = 1;
	for (i = 0; i < PARTS; i++) {
		sections[i + 1].sh_name = (Elf64_Word)(image->len - start -
						       names->sh_offset);
		buf_add(image, part_names[i], strlen(part_names[i]) + 1);
	}
	names->sh_size = image->len - start - names->sh_offset;
	for (i = 0; i < PARTS; i++) {
		sections[i + 1].sh_type = parts[i].len == 0 ? SHT_NOBITS :
							      SHT_PROGBITS;
		sections[i + 1].sh_offset = image->len - start;
		sections[i + 1].sh_size = parts[i].len;
		sections[i + 1].sh_addralign = 1;
		buf_str(image, parts[i]);
	}
	memcpy(image->p + start + sizeof(head), sections, sizeof(sections));
}

bool
dwarf_package_unit(struct dwarf_package *p, uint64_t id,
		   const struct dwarf_package_main *m, struct buf *image)
{
	struct str parts[PARTS] = { { 0 } };
	struct buf offsets = { 0 }, strings = { 0 }, addresses = { 0 };
	uint32_t row;

	if (!u64map_get(&p->row_of, id, &row) ||
	    (m->address_size != 4 && m->address_size != 8))
		return false;
	find_parts(p, row, parts);
	parts[PART_STR] = section(p, PART_STR);
	buf_str(&offsets, parts[PART_STR_OFFSETS]);
	if (copy_strings(p, parts[PART_STR], &offsets, &strings)) {
		parts[PART_STR_OFFSETS] = buf_slice(&offsets);
		parts[PART_STR] = buf_slice(&strings);
	}
	add_addresses(m, &addresses);
	parts[PART_ADDR] = buf_slice(&addresses);
	if (p->version == 2)
		parts[PART_RANGES] = m->ranges;
	add_image(parts, m->machine, image);
	buf_free(&offsets);
	buf_free(&strings);
	buf_free(&addresses);
	return true;
}
