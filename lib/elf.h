/* elf.h - one ELF file: its symbols, unwind tables, lines. */
#ifndef ELF_H
#define ELF_H

#include "buf.h"
#include "cfi.h"
#include "symtab.h"

/*
 * Everything here is in the file's own addresses ("vaddr"), those of its
 * program headers.  An address of a process becomes one by way of its place
 * in the file:
 *
 *	elf_vaddr(e, address - map.start + map.offset, &vaddr)
 *
 * and address - vaddr, the bias, is the same all over that mapping.
 *
 * Format: System V ABI, chapters 4 and 5; Linux Standard Base for the GNU
 * sections.  Files of any class and byte order are read.  A file may be
 * spoilt in any way: then less is found in it.
 */
struct elf;

/* Where files are looked for.  All zero is this machine's usual places. */
struct elf_places {
	const char *symfs; /* put before all absolute paths; or NULL */
	const char *const *debug_dirs; /* up to NULL; or NULL: /usr/lib/debug */
	/* Of perf's copies by build-id, for what is stripped here; or NULL. */
	const char *cache;
	/* Asked for debug files that are not there: a descriptor, or -1. */
	int (*fetch)(void *arg, struct str build_id, const char *path);
	void *fetch_arg;
};

/*
 * Open the file at a path, symfs before it; or what a descriptor stands for,
 * which is duplicated (path is then only where debug files are looked for
 * beside it, and may be NULL); or a copy of an image in memory, for a vdso.
 * NULL, with a reason in *why, if it is no regular file or no ELF.  places
 * are not copied and outlive the object.
 *
 * Opening is cheap: symbols, tables and lines are read by the first question.
 */
struct elf *elf_open(const char *path, const struct elf_places *places,
		     const char **why);
struct elf *elf_open_fd(int fd, const char *path,
			const struct elf_places *places, const char **why);
struct elf *elf_open_memory(struct str image, const struct elf_places *places,
			    const char **why);
void elf_close(struct elf *e);

/* Bytes of NT_GNU_BUILD_ID; empty if there are none. */
struct str elf_build_id(const struct elf *e);

/* The file's device and inode, as stat(2) has them; 0 of an image. */
uint64_t elf_device(const struct elf *e);
uint64_t elf_inode(const struct elf *e);

/*
 * The address of a place in the file, by an executable segment if there is
 * one that holds it; false if none does.
 */
bool elf_vaddr(const struct elf *e, uint64_t offset, uint64_t *vaddr);

/* Copy what the file has at an address that programs cannot write to. */
bool elf_read(const struct elf *e, uint64_t vaddr, void *to, size_t n);

/*
 * The function at an address, by its name in the file (mangled), and PLT
 * entries as f@plt.  Symbols come from the first of these that has any:
 * .symtab of the separate debug file (by build-id, by .gnu_debuglink with its
 * CRC, or of a copy before it was stripped), .symtab, and else .dynsym joined
 * with .gnu_debugdata and with what Go keeps for itself.
 */
bool elf_symbol(struct elf *e, uint64_t vaddr, struct symbol *found);

/* Where the symbols came from, for messages. */
enum elf_source { ELF_NONE, ELF_DYNSYM, ELF_MINIDEBUG, ELF_SYMTAB, ELF_DEBUG };
enum elf_source elf_source(struct elf *e);

/* All functions, sorted; for listings.  As long as the file is open. */
const struct symtab *elf_symtab(struct elf *e);

/*
 * The rules for unwinding, from .eh_frame and .debug_frame, also the debug
 * file's, or, instead of the latter, from what Go keeps for itself; NULL if
 * there are none.  They belong to e.
 */
struct cfi *elf_cfi(struct elf *e);

/* One of the functions that an address is in. */
struct elf_frame {
	struct str name; /* linkage name if there is one; may be empty */
	struct str file; /* as the compiler was given it; may be empty */
	uint32_t line;   /* 0 if unknown */
	bool inlined;    /* into the frame behind it */
};

/*
 * The functions at an address, innermost first, the last one not inlined,
 * from the debug information of the file or its debug file, through libdw;
 * with files and lines if these are asked for, which costs more.  Returns how
 * many; 0 if there is no such information.  *frames is valid until the next
 * call, the names as long as the file is open.
 */
size_t elf_inlines(struct elf *e, uint64_t vaddr, bool lines,
		   const struct elf_frame **frames);

/* Append "file:line" of a frame, without folders; nothing if not known. */
void elf_frame_line(const struct elf_frame *f, struct buf *to);

#endif
