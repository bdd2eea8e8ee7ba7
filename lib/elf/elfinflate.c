/* elfinflate.c - decompress the sections of an ELF file. */
#include "elf/elfinflate.h"

#include <elf.h>

/* ELFCOMPRESS_* of a section, or 0. */
static uint32_t
compression(const struct elffile *f, const struct elffile_section *s)
{
	Elf64_Chdr c;

	if (!(s->flags & SHF_COMPRESSED) || !elffile_head(f)->is_64 ||
	    elffile_head(f)->swap || !elffile_read(f, s->offset, &c, sizeof(c)))
		return 0;
	return c.ch_type;
}

static bool
has_compression(struct elffile *f, uint32_t kind)
{
	const struct elffile_section *s;
	size_t n, i;

	s = elffile_sections(f, &n);
	for (i = 1; i < n; i++)
		if (compression(f, &s[i]) == kind)
			return true;
	return false;
}

bool
elfinflate_needed(struct elffile *f)
{
	/* ELFCOMPRESS_ZSTD; old headers lack it. */
	return has_compression(f, 2);
}

bool
elfinflate_compressed(struct elffile *f)
{
	return elfinflate_needed(f) || has_compression(f, ELFCOMPRESS_ZLIB);
}

/*
 * Append the decompressed bytes of a section, or nothing, and update its
 * header.
 */
static void
inflate_section(struct elffile *f, size_t i, uint64_t head, bool wanted,
		struct buf *image)
{
	const struct str bytes = wanted ? elffile_bytes(f, i) : STR("");
	Elf64_Shdr h;

	memcpy(&h, image->p + head, sizeof(h));
	h.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	h.sh_offset = image->len;
	h.sh_size = bytes.len;
	h.sh_addralign = 1;
	if (!wanted)
		h.sh_type = SHT_NOBITS;
	memcpy(image->p + head, &h, sizeof(h));
	buf_str(image, bytes);
}

bool
elfinflate(struct elffile *f, bool (*wanted)(struct str section),
	   struct buf *image)
{
	const struct elffile_head *head = elffile_head(f);
	const struct elffile_section *s;
	Elf64_Ehdr h;
	size_t n, i;

	if (!head->is_64 || head->swap || head->size < sizeof(h))
		return false;
	buf_reserve(image, head->size);
	if (!elffile_read(f, 0, image->p, head->size))
		return false;
	image->len = head->size;
	memcpy(&h, image->p, sizeof(h));
	s = elffile_sections(f, &n);
	if (h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shoff > head->size ||
	    n > (head->size - h.e_shoff) / sizeof(Elf64_Shdr))
		return false;
	for (i = 1; i < n; i++)
		if (s[i].flags & SHF_COMPRESSED)
			inflate_section(
			    f, i, h.e_shoff + i * sizeof(Elf64_Shdr),
			    wanted == NULL || wanted(s[i].name), image);
	return true;
}
