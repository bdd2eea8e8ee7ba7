/* elfexport.c - find exported symbols of an ELF file by its hash table. */
#include "elf/elfexport.h"

#include <elf.h>
#include <string.h>

/*
 * Format, as in dl_lookup.c of glibc: four words; a bloom filter of 64-bit
 * words; buckets, each with the number of its first symbol; and the hashes of
 * all symbols from the first one that is exported on.  Bit 0 of a hash ends a
 * bucket.
 */
struct hash_head {
	uint32_t buckets, first, bloom, shift;
};

/* Symbols of a bucket to compare; a good table has few. */
enum { MOST_SYMBOLS = 4096, MOST_NAME = 256 };

bool
elfexport_has_table(const struct elffile *f)
{
	const struct elffile_head *head = elffile_head(f);

	return head->is_64 && !head->swap &&
	       elffile_typed(f, SHT_GNU_HASH) != 0;
}

static uint32_t
hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name != '\0'; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* Read bytes of a section, which must have them. */
static bool
read_part(const struct elffile *f, const struct elffile_section *s,
	  uint64_t offset, void *to, size_t n)
{
	return offset <= s->size && n <= s->size - offset &&
	       elffile_read(f, s->offset + offset, to, n);
}

/* Get symbol i of .dynsym if it has this name. */
static bool
read_symbol(const struct elffile *f, const struct elffile_section *table,
	    uint64_t i, const char *name, struct elffile_symbol *symbol)
{
	const size_t n = strlen(name) + 1;
	const struct elffile_section *sections;
	char text[MOST_NAME];
	Elf64_Sym s;
	size_t all;

	sections = elffile_sections(f, &all);
	if (n > sizeof(text) || table->link >= all ||
	    !read_part(f, table, i * sizeof(s), &s, sizeof(s)) ||
	    s.st_shndx == SHN_UNDEF ||
	    !read_part(f, &sections[table->link], s.st_name, text, n) ||
	    memcmp(text, name, n) != 0)
		return false;
	*symbol = (struct elffile_symbol){ .name = name,
					   .value = s.st_value,
					   .size = s.st_size,
					   .section = s.st_shndx,
					   .type = ELF64_ST_TYPE(s.st_info),
					   .binding = ELF64_ST_BIND(s.st_info),
					   .visibility = ELF64_ST_VISIBILITY(
					       s.st_other) };
	return true;
}

bool
elfexport_find(const struct elffile *f, const char *name,
	       struct elffile_symbol *symbol)
{
	const uint32_t hash = hash_of(name), last = 1;
	const struct elffile_section *sections, *table;
	struct hash_head head;
	uint32_t i, found, tries;
	uint64_t at;
	size_t n;

	if (!elfexport_has_table(f))
		return false;
	sections = elffile_sections(f, &n);
	table = &sections[elffile_typed(f, SHT_GNU_HASH)];
	if (table->link >= n || !read_part(f, table, 0, &head, sizeof(head)) ||
	    head.buckets == 0)
		return false;
	at = sizeof(head) + UINT64_C(8) * head.bloom;
	if (!read_part(f, table, at + UINT64_C(4) * (hash % head.buckets), &i,
		       sizeof(i)))
		return false;
	at += UINT64_C(4) * head.buckets;
	for (tries = 0; i >= head.first && tries < MOST_SYMBOLS; i++, tries++) {
		if (!read_part(f, table, at + UINT64_C(4) * (i - head.first),
			       &found, sizeof(found)))
			return false;
		if ((found | last) == (hash | last) &&
		    read_symbol(f, &sections[table->link], i, name, symbol))
			return true;
		if (found & last)
			return false;
	}
	return false;
}
