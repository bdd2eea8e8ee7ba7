/* elffile.h - parts of an ELF file, of any class and byte order. */
#ifndef ELFFILE_H
#define ELFFILE_H

#include "base/buf.h"

/*
 * Format: System V ABI, chapters 4 and 5.  Only elffile.c sees libelf, which
 * reads it.  Parts are read on demand and checked against the size of the file.
 * They are not mapped, since the file may shrink at any time.
 */
struct elffile;

/*
 * Open a descriptor, which then belongs to the file, or an image in memory,
 * which must outlive it.  If it is no regular file or no ELF file, close the
 * descriptor and return NULL, with a reason in *why.
 */
struct elffile *elffile_open(int fd, const char **why);
struct elffile *elffile_open_memory(struct str image, const char **why);
void elffile_close(struct elffile *f);

struct elffile_head {
	int machine; /* e_machine */
	bool is_64;
	bool swap; /* not in the byte order of this host */
	uint64_t device, inode, size;
};

const struct elffile_head *elffile_head(const struct elffile *f);

/* The descriptor, which still belongs to the file; -1 for an image. */
int elffile_fd(const struct elffile *f);

/* Append its path; nothing if that is unknown. */
void elffile_path(const struct elffile *f, struct buf *path);

/* Append its directory, with '/' at the end; nothing if that is unknown. */
void elffile_folder(const struct elffile *f, struct buf *path);

/* A program header of type PT_LOAD. */
struct elffile_segment {
	uint64_t offset, vaddr, file_size;
	bool executable, writable;
};

const struct elffile_segment *elffile_segments(const struct elffile *f,
					       size_t *n);

/* The segment PT_GNU_EH_FRAME, .eh_frame_hdr; false if there is none. */
bool elffile_eh_frame_hdr(const struct elffile *f,
			  struct elffile_segment *segment);

struct elffile_section {
	struct str name;
	uint32_t type; /* SHT_* */
	uint32_t link;
	uint64_t flags; /* SHF_* */
	uint64_t vaddr, offset, size;
};

/* All sections, by number; 0 is no section. */
const struct elffile_section *elffile_sections(const struct elffile *f,
					       size_t *n);

/* The number of the first section with a name or type; 0 if there is none. */
size_t elffile_named(const struct elffile *f, struct str name);
size_t elffile_typed(const struct elffile *f, uint32_t type);

/* The bytes of a section, decompressed; valid while the file is open. */
struct str elffile_bytes(struct elffile *f, size_t section);

/*
 * The size of a compressed section when it is decompressed, not much more than
 * the file could hold; 0 for other sections.  Decompress it to out, which has
 * this size; false if it is damaged.  Nothing is kept.
 */
uint64_t elffile_unpacked_size(const struct elffile *f, size_t section);
bool elffile_unpack(const struct elffile *f, size_t section, char *out);

/* Copy n bytes at an offset; false if the file is shorter. */
bool elffile_read(const struct elffile *f, uint64_t offset, void *to, size_t n);

/* The bytes of NT_GNU_BUILD_ID; empty if the file has none. */
struct str elffile_build_id(struct elffile *f);

/* The same from the bytes of a note section, in the byte order of this host. */
struct str elffile_noted_id(struct str notes);

struct elffile_symbol {
	const char *name; /* may be empty */
	uint64_t value, size;
	uint32_t section;
	uint8_t type, binding, visibility; /* STT_*, STB_*, STV_* */
};

/* Get symbol i of a table; false after the last. */
bool elffile_symbol(struct elffile *f, size_t table, size_t i,
		    struct elffile_symbol *symbol);

struct elffile_relocation {
	uint64_t offset;
	uint32_t type, symbol;
	uint64_t addend; /* 0 where the table has none */
};

/*
 * Get relocation i of a table; false after the last.  Relative relocations at
 * the start of the table, which have no symbol, are skipped without reading.
 */
bool elffile_relocation(struct elffile *f, size_t table, size_t i,
			struct elffile_relocation *relocation);

#endif
