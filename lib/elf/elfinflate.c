/* elfinflate.c - decompress the sections of an ELF file. */
#include "elf/elfinflate.h"

#include "base/mem.h"

#include <elf.h>

bool
elfinflate_compressed(const struct elffile *f)
{
	size_t n, i;

	elffile_sections(f, &n);
	for (i = 1; i < n; i++)
		if (elffile_unpacked_size(f, i) > 0)
			return true;
	return false;
}

/*
 * Append the decompressed bytes of a section, or nothing, and update its
 * header.
 */
static void
inflate_section(const struct elffile *f, size_t i, uint64_t head, bool wanted,
		struct buf *image)
{
	uint64_t size = wanted ? elffile_unpacked_size(f, i) : 0;
	Elf64_Shdr h;

	if (size > 0) {
		buf_reserve(image, size);
		if (!elffile_unpack(f, i, image->p + image->len))
			size = 0;
	}
	memcpy(&h, image->p + head, sizeof(h));
	h.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	h.sh_offset = image->len;
	h.sh_size = size;
	h.sh_addralign = 1;
	if (!wanted)
		h.sh_type = SHT_NOBITS;
	memcpy(image->p + head, &h, sizeof(h));
	image->len += size;
}

/* Read the file from the end of the image up to an offset. */
static bool
read_to(const struct elffile *f, uint64_t end, struct buf *image)
{
	if (!elffile_read(f, image->len, image->p + image->len,
			  end - image->len))
		return false;
	image->len = end;
	return true;
}

/* Whether a section begins after the last one, and ends before the headers. */
static bool
can_skip(const struct elffile_section *s, uint64_t last, uint64_t headers)
{
	return (s->flags & SHF_COMPRESSED) && s->offset >= last &&
	       s->offset <= headers && s->size <= headers - s->offset;
}

/*
 * Copy the file without its compressed sections, as they stand in the usual
 * order.  Large memory that is zero and is never used costs nothing.
 */
static bool
copy_file(const struct elffile *f, uint64_t headers, struct buf *image)
{
	const uint64_t size = elffile_head(f)->size;
	const struct elffile_section *s;
	size_t n, i;

	*image = (struct buf){ .p = mem_zero(size, 1), .cap = size };
	if (!read_to(f, sizeof(Elf64_Ehdr), image))
		return false;
	s = elffile_sections(f, &n);
	for (i = 1; i < n; i++) {
		if (!can_skip(&s[i], image->len, headers))
			continue;
		if (!read_to(f, s[i].offset, image))
			return false;
		image->len += s[i].size;
	}
	return read_to(f, size, image);
}

bool
elfinflate(const struct elffile *f, bool (*wanted)(struct str section),
	   struct buf *image)
{
	const struct elffile_head *head = elffile_head(f);
	const struct elffile_section *s;
	Elf64_Ehdr h;
	size_t n, i;

	s = elffile_sections(f, &n);
	if (!head->is_64 || head->swap || !elffile_read(f, 0, &h, sizeof(h)) ||
	    h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shoff > head->size ||
	    n > (head->size - h.e_shoff) / sizeof(Elf64_Shdr) ||
	    !copy_file(f, h.e_shoff, image))
		return false;
	for (i = 1; i < n; i++)
		if (s[i].flags & SHF_COMPRESSED)
			inflate_section(
			    f, i, h.e_shoff + i * sizeof(Elf64_Shdr),
			    wanted == NULL || wanted(s[i].name), image);
	return true;
}
