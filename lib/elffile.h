/* elffile.h - the pieces of an ELF file, of any class and byte order. */
#ifndef ELFFILE_H
#define ELFFILE_H

#include "buf.h"

/*
 * Format: System V ABI, chapters 4 and 5.  Read by libelf, which elffile.c
 * alone sees; pieces are read from the file as they are asked for and checked
 * against its size, not mapped, as files may shrink under us.
 */
struct elffile;

/*
 * Read from a descriptor, which becomes the file's, or from an image in
 * memory, which outlives it.  NULL, with a reason in *why, if it is no
 * regular file or no ELF; the descriptor is closed then.
 */
struct elffile *elffile_open(int fd, const char **why);
struct elffile *elffile_open_memory(struct str image, const char **why);
void elffile_close(struct elffile *f);

struct elffile_head {
	int machine; /* e_machine */
	bool is_64;
	bool swap; /* of the byte order that this machine has not */
	uint64_t device, inode, size;
};

const struct elffile_head *elffile_head(const struct elffile *f);

/* The descriptor, -1 of an image; it stays the file's. */
int elffile_fd(const struct elffile *f);

/* Append the folder it is in, '/' at the end; nothing if that is not known. */
void elffile_folder(const struct elffile *f, struct buf *path);

/* Program headers that load, PT_LOAD. */
struct elffile_segment {
	uint64_t offset, vaddr, file_size;
	bool executable, writable;
};

const struct elffile_segment *elffile_segments(const struct elffile *f,
					       size_t *n);

/* Where PT_GNU_EH_FRAME is, the head of .eh_frame; false if there is none. */
bool elffile_eh_frame_hdr(const struct elffile *f,
			  struct elffile_segment *segment);

struct elffile_section {
	struct str name;
	uint32_t type; /* SHT_* */
	uint32_t link;
	uint64_t flags; /* SHF_* */
	uint64_t vaddr, offset, size;
};

/* All sections; 0 is none. */
const struct elffile_section *elffile_sections(const struct elffile *f,
					       size_t *n);

/* The number of the section of a name, or of a type; 0 if there is none. */
size_t elffile_named(const struct elffile *f, struct str name);
size_t elffile_typed(const struct elffile *f, uint32_t type);

/* A section's bytes, decompressed; empty if it has none. */
struct str elffile_bytes(struct elffile *f, size_t section);

/* Copy n bytes from an offset; false if the file is shorter. */
bool elffile_read(const struct elffile *f, uint64_t offset, void *to, size_t n);

/* Bytes of NT_GNU_BUILD_ID; empty if there are none. */
struct str elffile_build_id(struct elffile *f);

/* That in notes without a file around them, of this machine's byte order. */
struct str elffile_noted_id(struct str notes);

struct elffile_symbol {
	const char *name; /* may be empty */
	uint64_t value, size;
	uint32_t section;
	uint8_t type, binding, visibility; /* STT_*, STB_*, STV_* */
};

/* The symbol i of a table; false behind the last one. */
bool elffile_symbol(struct elffile *f, size_t table, size_t i,
		    struct elffile_symbol *symbol);

struct elffile_relocation {
	uint64_t offset;
	uint32_t type, symbol;
	uint64_t addend; /* 0 where the table has none */
};

/*
 * The relocation i of a table; false behind the last one.  Relative ones at its
 * beginning, which have no symbol, are left out and not even read.
 */
bool elffile_relocation(struct elffile *f, size_t table, size_t i,
			struct elffile_relocation *relocation);

#endif
