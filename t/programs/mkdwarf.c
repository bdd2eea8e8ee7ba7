/*
 * mkdwarf SHAPE N FILE - write an ELF file with debug information of a bad
 * shape, and print N addresses to look up there.  The shapes:
 *
 * package - N split units.  FILE.dwp has none of them, and no empty slot.
 * nested - N functions around each other.  The addresses are in the first one.
 * ranges - N functions that share a list of N ranges.
 * local - N functions in a function.  The last of them is inlined N times into
 *	another function, where the addresses are.
 *
 * Format: DWARF 5.
 */
#include <dwarf.h>
#include <elf.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START = 0x1000, STEP = 16, ADDRESS = 8, ID = 8, HEAD = 4 };

enum { UNIT = 1, FUNCTION, OUTER, INLINED, SKELETON, SPREAD };

#define EXTENT DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4
#define NAME DW_AT_name, DW_FORM_string
#define ORIGIN DW_AT_abstract_origin, DW_FORM_ref4

static const struct {
	uint8_t code, tag, children, attributes[8];
} abbreviations[] = {
	{ UNIT, DW_TAG_compile_unit, DW_CHILDREN_yes, { EXTENT } },
	{ FUNCTION, DW_TAG_subprogram, DW_CHILDREN_no, { NAME, EXTENT } },
	{ OUTER, DW_TAG_subprogram, DW_CHILDREN_yes, { NAME, EXTENT } },
	{ INLINED,
	  DW_TAG_inlined_subroutine,
	  DW_CHILDREN_no,
	  { ORIGIN, EXTENT } },
	{ SKELETON, DW_TAG_skeleton_unit, DW_CHILDREN_no, { EXTENT } },
	{ SPREAD,
	  DW_TAG_subprogram,
	  DW_CHILDREN_no,
	  { NAME, DW_AT_ranges, DW_FORM_sec_offset } },
};

struct bytes {
	unsigned char *p;
	size_t n, cap;
};

static void
add(struct bytes *b, const void *bytes, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->p = realloc(b->p, b->cap);
		if (b->p == NULL)
			err(2, NULL);
	}
	memcpy(b->p + b->n, bytes, n);
	b->n += n;
}

static void
add_number(struct bytes *b, uint64_t n, int width)
{
	const uint8_t one = (uint8_t)n;
	const uint16_t two = (uint16_t)n;
	const uint32_t four = (uint32_t)n;

	if (width == 1)
		add(b, &one, 1);
	else if (width == 2)
		add(b, &two, 2);
	else if (width == 4)
		add(b, &four, 4);
	else
		add(b, &n, 8);
}

static void
add_extent(struct bytes *b, uint64_t start, uint64_t size)
{
	add_number(b, start, ADDRESS);
	add_number(b, size, 4);
}

static void
add_abbreviations(struct bytes *b)
{
	const size_t n = sizeof(abbreviations) / sizeof(*abbreviations);
	const uint8_t *attribute;
	size_t i;

	for (i = 0; i < n; i++) {
		add_number(b, abbreviations[i].code, 1);
		add_number(b, abbreviations[i].tag, 1);
		add_number(b, abbreviations[i].children, 1);
		for (attribute = abbreviations[i].attributes; *attribute != 0;)
			add_number(b, *attribute++, 1);
		add_number(b, 0, 2);
	}
	add_number(b, 0, 1);
}

/* Begin a unit; end_unit() sets its length. */
static size_t
begin_unit(struct bytes *b, int type, uint64_t id)
{
	const size_t at = b->n;

	add_number(b, 0, HEAD);
	add_number(b, 5, 2);
	add_number(b, (uint64_t)type, 1);
	add_number(b, ADDRESS, 1);
	add_number(b, 0, 4); /* offset of abbreviations */
	if (type == DW_UT_skeleton)
		add_number(b, id, ID);
	return at;
}

static void
end_unit(struct bytes *b, size_t at)
{
	const uint32_t length = (uint32_t)(b->n - at - HEAD);

	memcpy(b->p + at, &length, sizeof(length));
}

static void
add_function(struct bytes *b, int code, uint64_t start, uint64_t size)
{
	add_number(b, (uint64_t)code, 1);
	add(b, "f", 2);
	add_extent(b, start, size);
}

/* Sections, and the ELF file. */

struct section {
	const char *name;
	struct bytes bytes;
};

static void
write_file(const char *path, struct section *sections, size_t n)
{
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
				 ELFDATA2LSB :
				 ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)(n + 2),
		.e_shstrndx = (Elf64_Half)(n + 1)
	};
	Elf64_Shdr header[8] = { { 0 } };
	struct bytes names = { 0 };
	size_t i, at = sizeof(head) + (n + 2) * sizeof(*header);
	FILE *f = fopen(path, "w");

	if (f == NULL)
		err(2, "%s", path);
	for (i = 0; i <= n; i++) {
		header[i + 1].sh_name = (Elf64_Word)names.n + 1;
		header[i + 1].sh_type = i < n ? SHT_PROGBITS : SHT_STRTAB;
		header[i + 1].sh_offset = at;
		header[i + 1].sh_size = i < n ? sections[i].bytes.n : 256;
		header[i + 1].sh_addralign = 1;
		at += header[i + 1].sh_size;
		if (i < n) {
			add(&names, "", 1);
			add(&names, sections[i].name, strlen(sections[i].name));
		}
	}
	while (names.n < 256)
		add(&names, "", 1);
	fwrite(&head, sizeof(head), 1, f);
	fwrite(header, sizeof(*header), n + 2, f);
	for (i = 0; i < n; i++)
		fwrite(sections[i].bytes.p, 1, sections[i].bytes.n, f);
	fwrite(names.p, 1, names.n, f);
	if (fclose(f) != 0)
		err(2, "%s", path);
}

/* Shapes. */

/* The index of a package, all of whose slots have ids of other units. */
static void
write_package(const char *path, size_t n)
{
	char name[4096];
	struct section index = { ".debug_cu_index", { 0 } };
	struct bytes *b = &index.bytes;
	size_t i, slots = 1;

	while (slots < n)
		slots *= 2;
	add_number(b, 5, 4); /* version */
	add_number(b, 0, 4); /* columns */
	add_number(b, 1, 4); /* units */
	add_number(b, slots, 4);
	for (i = 0; i < slots; i++)
		add_number(b, i | UINT64_C(1) << 40, ID);
	for (i = 0; i < slots; i++)
		add_number(b, 1, 4); /* row */
	snprintf(name, sizeof(name), "%s.dwp", path);
	write_file(name, &index, 1);
}

static void
add_split(struct bytes *info, size_t n)
{
	size_t i, unit;

	for (i = 0; i < n; i++) {
		unit = begin_unit(info, DW_UT_skeleton, i);
		add_number(info, SKELETON, 1);
		add_extent(info, START + i * STEP, STEP);
		end_unit(info, unit);
		printf("%zx\n", START + i * STEP);
	}
}

static void
add_nested(struct bytes *info, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		add_function(info, FUNCTION, START + i, n * STEP - 2 * i);
		printf("%zx\n", START + n * STEP - 1);
	}
}

static void
add_ranges(struct bytes *info, struct bytes *lists, size_t n)
{
	size_t i, unit;

	for (i = 0; i < n; i++) {
		add_number(info, SPREAD, 1);
		add(info, "f", 2);
		add_number(info, HEAD + 8, 4);
		printf("%zx\n", START + i * STEP);
	}
	unit = lists->n;
	add_number(lists, 0, HEAD);
	add_number(lists, 5, 2);
	add_number(lists, ADDRESS, 1);
	add_number(lists, 0, 1); /* segments */
	add_number(lists, 0, 4); /* offsets */
	for (i = 0; i < n; i++) {
		add_number(lists, DW_RLE_start_length, 1);
		add_number(lists, START + i * STEP, ADDRESS);
		add_number(lists, STEP, 1);
	}
	add_number(lists, DW_RLE_end_of_list, 1);
	end_unit(lists, unit);
}

static void
add_local(struct bytes *info, size_t n)
{
	const uint64_t other = START + (n + 1) * STEP;
	size_t i, last = 0;

	add_function(info, OUTER, START, (n + 1) * STEP);
	for (i = 0; i < n; i++) {
		last = info->n;
		add_function(info, FUNCTION, START + i * STEP, STEP);
	}
	add_number(info, 0, 1);
	add_function(info, OUTER, other, n * STEP);
	for (i = 0; i < n; i++) {
		add_number(info, INLINED, 1);
		add_number(info, last, 4);
		add_extent(info, other + i * STEP, STEP);
		printf("%zx\n", (size_t)other + i * STEP);
	}
	add_number(info, 0, 1);
}

int
main(int argc, char *argv[])
{
	struct section sections[] = { { ".debug_info", { 0 } },
				      { ".debug_abbrev", { 0 } },
				      { ".debug_rnglists", { 0 } },
				      { ".debug_addr", { 0 } } };
	struct bytes *info = &sections[0].bytes;
	size_t n, unit;

	if (argc != 4)
		errx(2, "usage: mkdwarf SHAPE N FILE");
	n = strtoull(argv[2], NULL, 10);
	add_abbreviations(&sections[1].bytes);
	if (strcmp(argv[1], "package") == 0) {
		add_split(info, n);
		write_package(argv[3], n);
	} else {
		unit = begin_unit(info, DW_UT_compile, 0);
		add_number(info, UNIT, 1);
		add_extent(info, START, (3 * n + 3) * STEP);
		if (strcmp(argv[1], "nested") == 0)
			add_nested(info, n);
		else if (strcmp(argv[1], "ranges") == 0)
			add_ranges(info, &sections[2].bytes, n);
		else
			add_local(info, n);
		add_number(info, 0, 1);
		end_unit(info, unit);
	}
	write_file(argv[3], sections, 4);
	return 0;
}
