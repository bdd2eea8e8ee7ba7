/* interp_binary.h - symbols of a file that a running process has mapped. */
#ifndef INTERP_BINARY_H
#define INTERP_BINARY_H

#include "os/proctext.h"

/* A process and its memory map; all is the caller's. */
struct interp_target {
	int64_t pid;
	const struct proc_map *map; /* sorted */
	size_t n;
	bool with_requests; /* the frames begin with the request of a server */
};

/* A symbol to find. */
struct interp_symbol {
	const char *name;
	/*
	 * In the process, or of a thread-local variable, in the block of its
	 * module; 0: there is no such symbol.
	 */
	uint64_t address;
	uint64_t size;
};

/* Ranges of code, in the process. */
struct interp_range {
	uint64_t start, end;
};

enum { INTERP_BINARY_RANGES = 8 };

struct interp_ranges {
	struct interp_range range[INTERP_BINARY_RANGES];
	size_t n;
};

bool interp_binary_in(const struct interp_ranges *r, uint64_t address);

/*
 * Find symbols in the file whose first mapping is number map of the target, by
 * .dynsym and .symtab.  If parts is not NULL, append to *ranges the code of all
 * functions of that name and of the parts that a compiler split off, as in
 * "name.cold".  False if the file cannot be opened.
 *
 * The file is the one that was mapped, in whatever mount namespace or chroot,
 * and also after it was deleted if we have the right to open that.
 */
bool interp_binary_find(const struct interp_target *target, size_t map,
			struct interp_symbol *symbol, size_t n,
			const char *parts, struct interp_ranges *ranges);

/*
 * Find symbols by .dynsym alone, which takes little time in a large file.  The
 * address of a symbol that it lacks stays as it is.
 */
bool interp_binary_find_exported(const struct interp_target *target, size_t map,
				 struct interp_symbol *symbol, size_t n);

/*
 * The address in the process of a section that is loaded, of at least n bytes;
 * 0 if there is none.
 */
uint64_t interp_binary_section(const struct interp_target *target, size_t map,
			       struct str name, uint64_t n);

/*
 * Call visit() for each symbol of that file in .symtab.  It is valid during the
 * call.
 */
void interp_binary_visit(const struct interp_target *target, size_t map,
			 void (*visit)(void *arg,
				       const struct interp_symbol *symbol),
			 void *arg);

/*
 * Append the largest function of a file, as far as unwind tables say: of those
 * that begin with a frame of that many bytes, as no compiler makes; 0: of all.
 */
bool interp_binary_largest(const struct interp_target *target, size_t map,
			   unsigned frame, struct interp_ranges *ranges);

/* The same of the functions that one calls, at most three calls deep. */
bool interp_binary_called(const struct interp_target *target, size_t map,
			  uint64_t function, struct interp_ranges *ranges);

/* Whether the file is a program made by Go's compiler. */
bool interp_binary_is_go(const struct interp_target *target, size_t map);

/* The last part of a path. */
struct str interp_binary_name(struct str path);

#endif
