/* dso.h - files that processes map: found, checked, and their symbols. */
#ifndef DSO_H
#define DSO_H

#include "buf.h"
#include "elf.h"
#include "perffeat.h"
#include "places.h"
#include "process.h"

struct jit;

struct dso_options {
	struct jit *jit; /* the caller's, which outlives it */
	struct places_options places;
	bool mangled; /* leave names as they are */
};

/* All files of a recording, opened as they are asked for. */
struct dsos;

struct dsos *dsos_new(const struct dso_options *options,
		      const struct processes *processes,
		      const struct perf_features *features);
void dsos_free(struct dsos *all);

struct dso_symbol {
	struct str name; /* as long as the files; empty if unknown */
	uint64_t start;  /* in the process */
};

/* Whether what is mapped may be code that a JIT made. */
bool dso_is_jit(struct dsos *all, const struct mapped *file);

/*
 * The number, from 1, of the function at an address, which lies in the mapping:
 * no other function of any file has it.  All that is unknown of a file has
 * one number; what a JIT made has 0.
 */
uint32_t dso_number(struct dsos *all, const struct mapping *m,
		    uint64_t address);

/*
 * The same as a symbol, of a process, which has code of its own in memory that
 * was its parent's; false, with *symbol as it was, if none is there.
 */
bool dso_find(struct dsos *all, const struct mapping *m, int64_t pid,
	      uint64_t address, struct dso_symbol *symbol);

/* As elf_inlines(), of an address that lies in the mapping. */
size_t dso_inlines(struct dsos *all, const struct mapping *m, uint64_t address,
		   bool lines, const struct elf_frame **frames);

/* A name as the options want it, demangled or not; as long as the files. */
struct str dso_plain(struct dsos *all, struct str name);

struct cfi;

/*
 * The rules for unwinding at an address, NULL if there are none, and what is
 * between the addresses of the process and those of the file.
 */
struct cfi *dso_cfi(struct dsos *all, const struct mapping *m, uint64_t address,
		    uint64_t *bias);

/* Copy what the file has at an address; false if it has nothing there. */
bool dso_read(struct dsos *all, const struct mapping *m, uint64_t address,
	      void *to, size_t n);

/* The file's name as it is shown, which for JIT code is that of its map. */
struct str dso_name(struct dsos *all, const struct mapped *file);

/*
 * Append what hindered it, and how that is cured: the next line of as many
 * as there are; false at the end.
 */
bool dsos_note(struct dsos *all, struct buf *line);

#endif
