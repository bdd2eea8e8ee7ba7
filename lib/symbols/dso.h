/* dso.h - the files that processes map: their symbols and unwind rules. */
#ifndef DSO_H
#define DSO_H

#include "base/buf.h"
#include "elf/elf.h"
#include "perfdata/perffeat.h"
#include "symbols/debug_path.h"
#include "symbols/process.h"

struct jit;

struct dso_options {
	struct jit *jit; /* the caller's; outlives the files */
	struct debug_path_options places;
	bool mangled; /* do not demangle names */
};

/* All files of a recording.  Each one is opened on first use. */
struct dsos;

/*
 * Processes and features outlive the files.  NULL, with a message appended to
 * *why, as debug_path_new() does.
 */
struct dsos *dso_new(const struct dso_options *options,
		     const struct processes *processes,
		     const struct perf_features *features, struct buf *why);
void dso_free(struct dsos *all);

/*
 * The same files for another thread.  All threads have forks, and share what
 * one of them has read; meanwhile nothing else uses base, which outlives them.
 * JIT code cannot be read so.
 */
struct dsos *dso_fork(struct dsos *base);
void dso_fork_free(struct dsos *fork);

/* Add what the fork counted for the notes. */
void dso_join(struct dsos *base, const struct dsos *fork);

/*
 * Close a file, which no process maps any more.  True if its number may be that
 * of another file, because no code was found in it but a JIT's.
 */
bool dso_forget(struct dsos *all, const struct mapped_file *file);

/*
 * Another thread has counted the address, too, for which dso_number() was
 * called last.
 */
void dso_uncount(struct dsos *fork);

/*
 * In the functions below the address is one of the process and lies in the
 * mapping m.  Names are valid as long as the files.
 */

struct dso_symbol {
	struct str name; /* empty if unknown */
	uint64_t start;  /* in the process */
};

/* Whether a mapped file is memory where a JIT may put code. */
bool dso_is_jit(struct dsos *all, const struct mapped_file *file);

/*
 * The number, from 1, of the function at an address, unique among all files.
 * All code of a file that has no symbol has one number.  0 for JIT code.
 */
uint32_t dso_number(struct dsos *all, const struct mapping *m,
		    uint64_t address);

/*
 * The symbol at an address.  The process matters for JIT code only: a child has
 * its own in memory that its parent mapped.  False, without changing *symbol,
 * if there is none.
 */
bool dso_find(struct dsos *all, const struct mapping *m, int64_t pid,
	      uint64_t address, struct dso_symbol *symbol);

/* Inlined functions and lines at an address, as elf_inlines(). */
size_t dso_inlines(struct dsos *all, const struct mapping *m, uint64_t address,
		   bool lines, const struct elf_frame **frames);

/* Read what dso_find() needs of a file, or dso_inlines(). */
void dso_read_symbols(struct dsos *all, const struct mapping *m);
void dso_read_inlines(struct dsos *all, const struct mapping *m,
		      uint64_t address, bool lines);

/* A name demangled, unless the options forbid it. */
struct str dso_plain(struct dsos *all, struct str name);

struct cfi;

/*
 * The unwind rules for an address, or NULL.  *bias is the difference between
 * the process's addresses and those in the rules.
 */
struct cfi *dso_cfi(struct dsos *all, const struct mapping *m, uint64_t address,
		    uint64_t *bias);

/* Copy n bytes of the file.  False if it does not have them. */
bool dso_read(struct dsos *all, const struct mapping *m, uint64_t address,
	      void *to, size_t n);

/* The name to show for a file: its path, for JIT code the path of its map. */
struct str dso_name(struct dsos *all, const struct mapped_file *file);

/* Append the next note on files without names.  False if there is no more. */
bool dso_note(struct dsos *all, struct buf *line);

#endif
