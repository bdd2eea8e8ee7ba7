/* elf.h - an ELF file: symbols, unwind tables, source lines. */
#ifndef ELF_H
#define ELF_H

#include "base/buf.h"
#include "elf/symtab.h"
#include "elf/variable.h"
#include "unwind/cfi.h"

/*
 * All addresses are those of the program headers ("vaddr").  Convert an address
 * of a process through its offset in the file:
 *
 *	elf_vaddr(e, address - map.start + map.offset, &vaddr)
 *
 * The bias, address - vaddr, is the same for the whole mapping.
 *
 * Format: System V ABI, chapters 4 and 5; Linux Standard Base for the GNU
 * sections.  Files of any class and byte order are read.  An invalid file just
 * has less in it.
 */
struct elf;

/* Where to search for files.  All zero is the default of this host. */
struct elf_paths {
	const char *symfs; /* prefix of all absolute paths; or NULL */
	const char *const
	    *debug_dirs; /* ends with NULL; NULL: /usr/lib/debug */
	/* perf's cache by build-id, in case the file was stripped; or NULL. */
	const char *cache;
	/* Fetches missing debug files: returns a descriptor, or -1; or NULL. */
	int (*fetch)(void *arg, struct str build_id, const char *path);
	void *fetch_arg;
};

/*
 * Open the file at a path, prefixed by symfs; or an open file, whose descriptor
 * is duplicated; or a copy of an image in memory, such as a vdso.  For an open
 * file, path is only where to search for debug files beside it, and may be
 * NULL. If it is no regular file or no ELF file, return NULL and a reason in
 * *why. paths must outlive the file.
 *
 * Opening is cheap: symbols, tables and lines are read on first use.
 */
struct elf *elf_open(const char *path, const struct elf_paths *paths,
		     const char **why);
struct elf *elf_open_fd(int fd, const char *path, const struct elf_paths *paths,
			const char **why);
struct elf *elf_open_memory(struct str image, const struct elf_paths *paths,
			    const char **why);
void elf_close(struct elf *e);

/* The bytes of NT_GNU_BUILD_ID; empty if the file has none. */
struct str elf_build_id(const struct elf *e);

/* The device and inode of the file, as in stat(2); 0 for an image. */
uint64_t elf_device(const struct elf *e);
uint64_t elf_inode(const struct elf *e);

/*
 * Convert an offset in the file to an address, by an executable segment if one
 * contains it; false if no segment does.
 */
bool elf_vaddr(const struct elf *e, uint64_t offset, uint64_t *vaddr);

/* The offset in the file of an address; false if no segment has it. */
bool elf_offset(const struct elf *e, uint64_t vaddr, uint64_t *offset);

/* Copy bytes at an address in a read-only segment; false if it is in none. */
bool elf_read(const struct elf *e, uint64_t vaddr, void *to, size_t n);

/*
 * Find the function at an address, with its mangled name; a PLT entry is named
 * f@plt.  Symbols come from the first of these that has any: .symtab of the
 * separate debug file (found by build-id, by .gnu_debuglink and its CRC, or as
 * a copy from before stripping); .symtab; .dynsym together with .gnu_debugdata
 * and the function table of Go.
 */
bool elf_symbol(struct elf *e, uint64_t vaddr, struct symbol *found);

/* Where the symbols came from. */
enum elf_source { ELF_NONE, ELF_DYNSYM, ELF_MINIDEBUG, ELF_SYMTAB, ELF_DEBUG };
enum elf_source elf_source(struct elf *e);

/* All functions, sorted; valid while the file is open. */
const struct symtab *elf_symtab(struct elf *e);

/* A function by one of its names; the name is valid during the visit only. */
struct elf_function {
	uint64_t vaddr;
	uint64_t offset; /* in the file */
	uint64_t size;   /* 0 if unknown */
	struct str name; /* mangled, without a version */
};

/*
 * Call each() for every name of a function in the tables of elf_symbol(), also
 * where several names have the same address; without PLT entries and functions
 * that the loader chooses (STT_GNU_IFUNC).  False if the file cannot be read.
 */
bool elf_functions(struct elf *e,
		   void (*each)(void *arg, const struct elf_function *),
		   void *arg);

/*
 * The unwind tables, from .eh_frame and .debug_frame of the file or its debug
 * file.  Without .debug_frame, the function table of Go replaces it.  NULL if
 * there are none; valid while the file is open.
 */
struct cfi *elf_cfi(struct elf *e);

/*
 * The same file for another thread, which may call elf_vaddr(), elf_read(),
 * elf_symbol(), elf_symtab(), elf_cfi() and elf_inlines(), each with a fork of
 * its own, while no thread uses the file itself.  What one thread has read, all
 * have.  elf_close() of the file closes its forks.  One thread forks at a time.
 */
struct elf *elf_fork(struct elf *e);

/* A function, maybe inlined, that contains an address. */
struct elf_frame {
	struct str name; /* the linkage name if there is one; may be empty */
	struct str file; /* as the compiler recorded it; may be empty */
	uint32_t line;   /* 0 if unknown */
	bool inlined;    /* into the next frame */
};

/*
 * Find the functions at an address, innermost first, in the debug information
 * of the file or its debug file; the last one is not inlined.  With lines,
 * also find files and lines, which costs more.  Returns the number of frames, 0
 * if there is no debug information.  One frame without a name is a function of
 * which only the line is known.  *frames is valid until the next call,
 * names while the file is open.
 */
size_t elf_inlines(struct elf *e, uint64_t vaddr, bool lines,
		   const struct elf_frame **frames);

/*
 * Append a note if units that elf_inlines() needed are in files (.dwo, .dwp)
 * that are missing: only lines are known of their code.  False if none is.
 */
bool elf_note_units(const struct elf *e, struct str path, struct buf *note);

/*
 * Call each() for the statements of the unit at an address, or of all units, in
 * debug information.  Files are valid while the file is open.
 */
#define ELF_ALL_UNITS UINT64_MAX
void elf_lines(struct elf *e, uint64_t of,
	       void (*each)(void *arg, const struct elf_line *line), void *arg);

/*
 * Find a variable at an address, see variable.h; with the reason appended to
 * why if there is none.
 */
bool elf_variable(struct elf *e, uint64_t vaddr, bool at_entry,
		  struct str expression, bool string, struct variable_value *v,
		  struct buf *why);

/* Append "file:line", without directories; nothing if the line is unknown. */
void elf_frame_line(const struct elf_frame *f, struct buf *to);

#endif
