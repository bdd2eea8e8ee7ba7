/* elffile.c - parts of an ELF file, read by libelf. */
#include "elf/elffile.h"

#include "base/arena.h"
#include "base/mem.h"
#include "codec/deflate_whole.h"
#include "codec/zstd.h"
#include "os/readfile.h"
#include "os/sys_error.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZSTD 2 /* ELFCOMPRESS_ZSTD; old headers lack it */

struct elffile {
	Elf *elf;
	int fd;
	struct str image; /* if there is no fd */
	struct elffile_head head;
	struct arena arena;   /* decompressed sections */
	struct str *unpacked; /* by section; empty before use */
	struct elffile_segment *segments;
	size_t segments_n;
	struct elffile_segment eh_frame_hdr;
	struct elffile_section *sections;
	size_t sections_n;

	/* The table used last. */
	size_t table;
	Elf_Data *data;
	struct str names; /* of its symbols, all with their ends; or empty */
};

static void
read_segments(struct elffile *f)
{
	struct elffile_segment segment;
	GElf_Phdr p;
	size_t i, n;

	/* A header has at least 32 bytes, in a 32-bit file. */
	if (elf_getphdrnum(f->elf, &n) != 0 || n > f->head.size / 32)
		return;
	f->segments = mem_zero(n, sizeof(*f->segments));
	for (i = 0; i < n; i++) {
		if (gelf_getphdr(f->elf, (int)i, &p) == NULL)
			continue;
		segment = (struct elffile_segment){ p.p_offset, p.p_vaddr,
						    p.p_filesz,
						    (p.p_flags & PF_X) != 0,
						    (p.p_flags & PF_W) != 0 };
		if (p.p_type == PT_LOAD)
			f->segments[f->segments_n++] = segment;
		else if (p.p_type == PT_GNU_EH_FRAME)
			f->eh_frame_hdr = segment;
	}
}

static void
read_sections(struct elffile *f)
{
	size_t n, names;
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	const char *name;

	if (elf_getshdrnum(f->elf, &n) != 0 || n == 0 ||
	    n > f->head.size / 40 || elf_getshdrstrndx(f->elf, &names) != 0)
		return;
	f->sections = mem_zero(n, sizeof(*f->sections));
	f->sections_n = n;
	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &h) == NULL || elf_ndxscn(scn) >= n)
			continue;
		name = elf_strptr(f->elf, names, h.sh_name);
		f->sections[elf_ndxscn(scn)] = (struct elffile_section){
			.name = str_of(name != NULL ? name : ""),
			.type = h.sh_type,
			.link = h.sh_link,
			.flags = h.sh_flags,
			.vaddr = h.sh_addr,
			.offset = h.sh_offset,
			.size = h.sh_size
		};
	}
}

static bool
read_head(struct elffile *f)
{
	const int host = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
			     ELFDATA2LSB :
			     ELFDATA2MSB;
	GElf_Ehdr h;

	if (elf_kind(f->elf) != ELF_K_ELF || gelf_getehdr(f->elf, &h) == NULL)
		return false;
	f->head.machine = h.e_machine;
	f->head.is_64 = h.e_ident[EI_CLASS] == ELFCLASS64;
	f->head.swap = h.e_ident[EI_DATA] != host;
	return true;
}

static struct elffile *
read_all(struct elffile *f, const char **why)
{
	/* libelf does not tell failed reads from missing parts. */
	if (f->elf == NULL || !read_head(f)) {
		sys_error_check_fd(f->fd);
		*why = "not an ELF file";
		elffile_close(f);
		return NULL;
	}
	read_segments(f);
	read_sections(f);
	sys_error_check_fd(f->fd);
	return f;
}

struct elffile *
elffile_open(int fd, const char **why)
{
	struct elffile *f;
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		*why = "not a regular file";
		close(fd);
		return NULL;
	}
	elf_version(EV_CURRENT);
	f = mem_zero(1, sizeof(*f));
	f->fd = fd;
	f->head.device = st.st_dev;
	f->head.inode = st.st_ino;
	f->head.size = (uint64_t)st.st_size;
	errno = 0;
	f->elf = elf_begin(fd, ELF_C_READ, NULL);
	return read_all(f, why);
}

struct elffile *
elffile_open_memory(struct str image, const char **why)
{
	struct elffile *f;

	elf_version(EV_CURRENT);
	f = mem_zero(1, sizeof(*f));
	f->fd = -1;
	f->image = image;
	f->head.size = image.len;
	/* libelf does not write to it. */
	errno = 0;
	f->elf = elf_memory((char *)(uintptr_t)image.p, image.len);
	return read_all(f, why);
}

void
elffile_close(struct elffile *f)
{
	if (f == NULL)
		return;
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	arena_free(&f->arena);
	free(f->unpacked);
	free(f->segments);
	free(f->sections);
	free(f);
}

const struct elffile_head *
elffile_head(const struct elffile *f)
{
	return &f->head;
}

int
elffile_fd(const struct elffile *f)
{
	return f->fd;
}

void
elffile_path(const struct elffile *f, struct buf *path)
{
	char target[PATH_MAX], link[64];
	ssize_t n;

	if (f->fd < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
	n = readlink(link, target, sizeof(target));
	if (n > 0 && target[0] == '/')
		buf_str(path, (struct str){ target, (size_t)n });
}

void
elffile_folder(const struct elffile *f, struct buf *path)
{
	const size_t start = path->len;
	const char *slash;

	elffile_path(f, path);
	slash = path->len == start ?
		    NULL :
		    memrchr(path->p + start, '/', path->len - start);
	path->len = slash == NULL ? start : (size_t)(slash + 1 - path->p);
}

const struct elffile_segment *
elffile_segments(const struct elffile *f, size_t *n)
{
	*n = f->segments_n;
	return f->segments;
}

bool
elffile_eh_frame_hdr(const struct elffile *f, struct elffile_segment *segment)
{
	*segment = f->eh_frame_hdr;
	return segment->file_size > 0;
}

const struct elffile_section *
elffile_sections(const struct elffile *f, size_t *n)
{
	*n = f->sections_n;
	return f->sections;
}

size_t
elffile_named(const struct elffile *f, struct str name)
{
	size_t i;

	for (i = 1; i < f->sections_n; i++)
		if (str_eq(f->sections[i].name, name))
			return i;
	return 0;
}

size_t
elffile_typed(const struct elffile *f, uint32_t type)
{
	size_t i;

	for (i = 1; i < f->sections_n; i++)
		if (f->sections[i].type == type)
			return i;
	return 0;
}

/*
 * Whether a decompressed size is believable: deflate and zstd rarely exceed
 * 1000 to 1.
 */
static bool
is_plausible(uint64_t size, uint64_t compressed)
{
	return size / 4096 <= compressed;
}

static bool
unpack(uint32_t type, struct str in, char *out, size_t size)
{
	return type == ELFCOMPRESS_ZLIB ? deflate_whole_inflate(in, out, size) :
	       type == ZSTD             ? zstd_unpack_all(in, out, size) :
					  false;
}

static bool
is_in_file(const struct elffile *f, const struct elffile_section *s)
{
	return s->offset <= f->head.size && s->size <= f->head.size - s->offset;
}

/* The header of a compressed section; false for another section. */
static bool
compression(const struct elffile *f, size_t section, GElf_Chdr *c)
{
	const struct elffile_section *s = &f->sections[section];

	if (!(s->flags & SHF_COMPRESSED) || !is_in_file(f, s))
		return false;
	/* libelf would keep all compressed bytes. */
	if (f->head.is_64 && !f->head.swap)
		return elffile_read(f, s->offset, c, sizeof(*c));
	return gelf_getchdr(elf_getscn(f->elf, section), c) != NULL;
}

uint64_t
elffile_unpacked_size(const struct elffile *f, size_t section)
{
	GElf_Chdr c;

	return compression(f, section, &c) &&
		       is_plausible(c.ch_size, f->sections[section].size) ?
		   c.ch_size :
		   0;
}

/*
 * libelf 0.188 does not support zstd, and takes more than twice the time for
 * deflate.
 */
bool
elffile_unpack(const struct elffile *f, size_t section, char *out)
{
	const struct elffile_section *s = &f->sections[section];
	const size_t head = f->head.is_64 ? sizeof(Elf64_Chdr) :
					    sizeof(Elf32_Chdr);
	GElf_Chdr c;
	bool good;
	char *in;

	if (!compression(f, section, &c) || s->size < head)
		return false;
	in = mem_alloc(s->size);
	good = elffile_read(f, s->offset, in, s->size) &&
	       unpack(c.ch_type, str_skip((struct str){ in, s->size }, head),
		      out, c.ch_size);
	free(in);
	return good;
}

/*
 * The bytes of a compressed section, which is decompressed once; none if that
 * fails.
 */
static struct str
unpacked_bytes(struct elffile *f, size_t section)
{
	struct str *s;
	uint64_t size;
	char *out;

	if (f->unpacked == NULL)
		f->unpacked = mem_zero(f->sections_n, sizeof(*f->unpacked));
	s = &f->unpacked[section];
	if (s->p != NULL)
		return *s;
	size = elffile_unpacked_size(f, section);
	out = arena_alloc(&f->arena, size);
	*s = (struct str){ out, 0 };
	if (size > 0 && elffile_unpack(f, section, out))
		s->len = size;
	return *s;
}

static struct str
read_bytes(struct elffile *f, size_t section)
{
	Elf_Scn *scn = elf_getscn(f->elf, section);
	const struct elffile_section *s;
	const Elf_Data *data;
	GElf_Chdr c;

	if (section == 0 || scn == NULL)
		return (struct str){ 0 };
	s = &f->sections[section];
	if (s->type == SHT_NOBITS)
		return (struct str){ 0 };
	if (compression(f, section, &c))
		return unpacked_bytes(f, section);
	if (str_starts(s->name, STR(".zdebug")))
		elf_compress_gnu(scn, 0, 0);
	data = elf_rawdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL)
		return (struct str){ 0 };
	return (struct str){ data->d_buf, data->d_size };
}

struct str
elffile_bytes(struct elffile *f, size_t section)
{
	struct str bytes;

	errno = 0;
	bytes = read_bytes(f, section);
	sys_error_check_fd(f->fd);
	return bytes;
}

bool
elffile_read(const struct elffile *f, uint64_t offset, void *to, size_t n)
{
	if (offset > f->head.size || n > f->head.size - offset)
		return false;
	if (f->fd < 0) {
		memcpy(to, f->image.p + offset, n);
		return true;
	}
	if (readfile_at(f->fd, to, n, offset))
		return true;
	sys_error_check_fd(f->fd);
	return false;
}

static struct str
build_id_in(Elf_Data *data)
{
	GElf_Nhdr note;
	size_t at = 0, name, desc;
	const char *p;

	if (data == NULL || data->d_buf == NULL)
		return (struct str){ 0 };
	p = data->d_buf;
	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(p + name, "GNU", 4) == 0)
			return (struct str){ p + desc, note.n_descsz };
	return (struct str){ 0 };
}

struct str
elffile_noted_id(struct str notes)
{
	Elf_Data data = {
		.d_buf = (void *)(uintptr_t)notes.p,
		.d_size = notes.len,
		.d_type = ELF_T_NHDR,
		.d_version = EV_CURRENT,
	};

	return build_id_in(&data);
}

struct str
elffile_build_id(struct elffile *f)
{
	struct str id = { 0 };
	GElf_Phdr p;
	size_t i, n;

	errno = 0;
	for (i = 1; i < f->sections_n && id.len == 0; i++)
		if (f->sections[i].type == SHT_NOTE)
			id = build_id_in(
			    elf_getdata(elf_getscn(f->elf, i), NULL));
	if (id.len > 0 || elf_getphdrnum(f->elf, &n) != 0 || n > INT32_MAX)
		return id;
	for (i = 0; i < n && id.len == 0; i++)
		if (gelf_getphdr(f->elf, (int)i, &p) != NULL &&
		    p.p_type == PT_NOTE)
			id = build_id_in(elf_getdata_rawchunk(
			    f->elf, (int64_t)p.p_offset, p.p_filesz,
			    p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	sys_error_check_fd(f->fd);
	return id;
}

/*
 * The size of the relative relocations at the start of a table.  They are most
 * of those of a large library; the dynamic section has their number.
 */
static uint64_t
relative_size(struct elffile *f, size_t table)
{
	Elf_Data *data = elf_getdata(
	    elf_getscn(f->elf, elffile_typed(f, SHT_DYNAMIC)), NULL);
	const uint64_t each = gelf_fsize(f->elf, ELF_T_RELA, 1, EV_CURRENT);
	uint64_t start = 0, n = 0;
	GElf_Dyn d;
	int i;

	for (i = 0; gelf_getdyn(data, i, &d) != NULL && d.d_tag != DT_NULL; i++)
		if (d.d_tag == DT_RELA)
			start = d.d_un.d_ptr;
		else if (d.d_tag == DT_RELACOUNT)
			n = d.d_un.d_val;
	if (f->sections[table].vaddr != start ||
	    n > f->sections[table].size / each)
		return 0;
	return n * each;
}

static Elf_Data *
relocation_data(struct elffile *f, size_t table)
{
	const struct elffile_section *s = &f->sections[table];
	const uint64_t skip = relative_size(f, table);

	return elf_getdata_rawchunk(f->elf, (int64_t)(s->offset + skip),
				    s->size - skip, ELF_T_RELA);
}

/* Names of symbols, unless the last one has no end: that takes care. */
static struct str
symbol_names(struct elffile *f, size_t table)
{
	const struct elffile_section *s = &f->sections[table];
	Elf_Data *data;

	if ((s->type != SHT_SYMTAB && s->type != SHT_DYNSYM) ||
	    s->link >= f->sections_n)
		return (struct str){ NULL, 0 };
	data = elf_getdata(elf_getscn(f->elf, s->link), NULL);
	if (data == NULL || data->d_buf == NULL || data->d_size == 0 ||
	    ((const char *)data->d_buf)[data->d_size - 1] != '\0' ||
	    (f->sections[s->link].flags & SHF_COMPRESSED) != 0)
		return (struct str){ NULL, 0 };
	return (struct str){ data->d_buf, data->d_size };
}

/* The data of a table, in the byte order of this host. */
static Elf_Data *
table_data(struct elffile *f, size_t table)
{
	if (table != f->table || f->data == NULL) {
		f->table = table;
		errno = 0;
		if (table == 0)
			f->data = NULL;
		else if (f->sections[table].type == SHT_RELA)
			f->data = relocation_data(f, table);
		else
			f->data = elf_getdata(elf_getscn(f->elf, table), NULL);
		f->names = symbol_names(f, table);
		sys_error_check_fd(f->fd);
	}
	return f->data;
}

bool
elffile_symbol(struct elffile *f, size_t table, size_t i,
	       struct elffile_symbol *symbol)
{
	Elf_Data *data = table_data(f, table);
	GElf_Sym s;
	const char *name;

	if (data == NULL || i > INT32_MAX ||
	    gelf_getsym(data, (int)i, &s) == NULL)
		return false;
	name = s.st_name < f->names.len ?
		   f->names.p + s.st_name :
		   elf_strptr(f->elf, f->sections[table].link, s.st_name);
	*symbol = (struct elffile_symbol){ .name = name != NULL ? name : "",
					   .value = s.st_value,
					   .size = s.st_size,
					   .section = s.st_shndx,
					   .type = GELF_ST_TYPE(s.st_info),
					   .binding = GELF_ST_BIND(s.st_info),
					   .visibility = GELF_ST_VISIBILITY(
					       s.st_other) };
	return true;
}

bool
elffile_relocation(struct elffile *f, size_t table, size_t i,
		   struct elffile_relocation *relocation)
{
	Elf_Data *data = table_data(f, table);
	const bool rela = f->sections[table].type == SHT_RELA;
	GElf_Rela a = { 0 };
	GElf_Rel r;

	if (data == NULL || i > INT32_MAX)
		return false;
	if (rela) {
		if (gelf_getrela(data, (int)i, &a) == NULL)
			return false;
		r = (GElf_Rel){ a.r_offset, a.r_info };
	} else if (gelf_getrel(data, (int)i, &r) == NULL) {
		return false;
	}
	*relocation = (struct elffile_relocation){
		r.r_offset, (uint32_t)GELF_R_TYPE(r.r_info),
		(uint32_t)GELF_R_SYM(r.r_info), (uint64_t)a.r_addend
	};
	return true;
}
