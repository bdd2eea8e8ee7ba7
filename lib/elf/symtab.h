/* symtab.h - a table of address ranges and their names. */
#ifndef SYMTAB_H
#define SYMTAB_H

#include "base/str.h"

/* A named range, from start to before end. */
struct symbol {
	uint64_t start, end;
	struct str name; /* NUL-terminated; valid as long as the table */
};

/* Which range names an address, if several contain it. */
enum symtab_rule {
	/*
	 * For ELF.  A range of known size wins over an open one, which is a
	 * label inside; then the one that starts last.  If several start at
	 * the same address: the highest rank; then, of demangled names, the
	 * fewest leading underscores; then the longest; then the first added.
	 */
	SYMTAB_BEST,
	/* The one that starts last; at the same start, the one added last. */
	SYMTAB_LAST_ALIAS,
	/* The one added last, which replaces what was there before. */
	SYMTAB_LAST
};

struct symtab;

struct symtab *symtab_new(enum symtab_rule rule);
void symtab_free(struct symtab *t);

/*
 * Limit the bytes of all names together, and ignore symbols beyond that.  In a
 * file, names may share bytes; here each is a copy.
 */
void symtab_limit(struct symtab *t, uint64_t size);

/*
 * Add a range from start to before end, unless it is empty.  Copies the name,
 * up to a NUL.  An open range, whose size is unknown, ends where the next one
 * starts at the latest.  For the rank, see SYMTAB_BEST.
 */
void symtab_add(struct symtab *t, uint64_t start, uint64_t end, bool open,
		unsigned rank, struct str name);

/*
 * Sort the table.  Call it once, after the last symtab_add() and before any
 * lookup.
 */
void symtab_sort(struct symtab *t);

/* Find the range of an address; if there is none, leave *found alone. */
bool symtab_find(const struct symtab *t, uint64_t address,
		 struct symbol *found);

/* The number of the range of an address; SYMTAB_NONE if there is none. */
#define SYMTAB_NONE UINT32_MAX
uint32_t symtab_number(const struct symtab *t, uint64_t address);

/* The number of ranges, and a range by number, from 0, in sorted order. */
size_t symtab_size(const struct symtab *t);
struct symbol symtab_symbol(const struct symtab *t, size_t i);

/* The memory that the table uses, in bytes. */
size_t symtab_memory(const struct symtab *t);

#endif
