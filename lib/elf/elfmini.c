/* elfmini.c - symbols from mini-debuginfo, read by libdwfl. */
#include "elf/elfmini.h"

#include "os/sys_error.h"

#include <elfutils/libdwfl.h>
#include <unistd.h>

/*
 * Format: "The .xz File Format", 2 and 3.  Its blocks have LZMA2 chunks, whose
 * headers have both sizes.  So the decompressed size is known from headers.
 */
struct elfmini_xz {
	const struct elffile *f;
	uint64_t start, at, end;
	uint64_t size; /* decompressed, up to at */
};

/* Symbol tables shrink to about a tenth; xz can reach 1/7000. */
#define MAX_RATIO 256

static uint32_t
big_u16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

/* Skip a chunk; false at the end, with *ended, or at an invalid one. */
static bool
skip_chunk(struct elfmini_xz *xz, bool *ended)
{
	unsigned char head[6];

	*ended = false;
	if (!elffile_read(xz->f, xz->at, head, sizeof(head)))
		return false;
	*ended = head[0] == 0;
	if (head[0] >= 0x80) {
		xz->size += ((head[0] & 0x1fu) << 16 | big_u16(head + 1)) + 1;
		xz->at += (head[0] >= 0xc0 ? 6 : 5) + big_u16(head + 3) + 1;
	} else if (head[0] == 1 || head[0] == 2) {
		xz->size += big_u16(head + 1) + 1;
		xz->at += 3 + big_u16(head + 1) + 1;
	} else {
		xz->at++;
		return false;
	}
	return true;
}

static bool
is_plausible(const struct elfmini_xz *xz)
{
	return xz->at < xz->end && xz->size / MAX_RATIO <= xz->end - xz->start;
}

/*
 * Whether the decompressed size of a section is plausible: libdwfl has no
 * limit. It only reads the first stream.
 */
static bool
is_sound(const struct elffile *f, size_t section)
{
	static const char magic[6] = { '\xfd', '7', 'z', 'X', 'Z' };
	static const unsigned char check_size[16] = { 0,  4,  4,  4,  8,  8,
						      8,  16, 16, 16, 32, 32,
						      32, 64, 64, 64 };
	unsigned char head[12], block;
	const struct elffile_section *s;
	struct elfmini_xz xz = { .f = f };
	bool ended;
	size_t n;

	s = &elffile_sections(f, &n)[section];
	xz.start = s->offset;
	xz.at = s->offset + sizeof(head);
	xz.end = s->offset + s->size;
	if (s->size < sizeof(head) || xz.end < s->offset ||
	    !elffile_read(f, s->offset, head, sizeof(head)) ||
	    memcmp(head, magic, sizeof(magic)) != 0)
		return false;
	while (elffile_read(f, xz.at, &block, 1) && block != 0) {
		xz.at += (block + 1) * 4u;
		while (is_plausible(&xz) && skip_chunk(&xz, &ended))
			continue;
		if (!is_plausible(&xz) || !ended)
			return false;
		xz.at += -(xz.at - xz.start) & 3;
		xz.at += check_size[head[7] & 15];
	}
	return is_plausible(&xz);
}

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
			.name = name,
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
elfmini_symbols(const struct elffile *f,
		void (*add)(void *arg, const struct elffile_symbol *),
		void *arg)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_nothing,
		.section_address = dwfl_offline_section_address
	};
	const size_t section = elffile_named(f, STR(".gnu_debugdata"));
	Dwfl_Module *module;
	bool found = false;
	Dwfl *dwfl;
	int fd;

	if (section == 0 || elffile_fd(f) < 0 || !is_sound(f, section))
		return false;
	dwfl = dwfl_begin(&callbacks);
	if (dwfl == NULL)
		return false;
	dwfl_report_begin(dwfl);
	fd = dup(elffile_fd(f));
	if (fd < 0)
		sys_error_check("an ELF file");
	/* The descriptor belongs to the module then. */
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
