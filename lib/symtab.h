/* symtab.h - ranges of addresses and their names; knows no files. */
#ifndef SYMTAB_H
#define SYMTAB_H

#include "str.h"

/* What is known of an address; from start to before end. */
struct symbol {
	uint64_t start, end;
	struct str name; /* NUL behind it; as long as the table lives */
};

/* Which of the ranges that cover one address gives the name. */
enum symtab_rule {
	/*
	 * The one that starts last, but one whose size is known before one
	 * whose size is not: that is a label in its midst.  Of those with
	 * one start, what the symbol tables of ELF need: the higher rank, then,
	 * of names as programmers wrote them, fewer underscores in front, then
	 * the longer name, then the one added first.
	 */
	SYMTAB_BEST,
	/* The one that starts last; with one start, the one added last. */
	SYMTAB_LAST_ALIAS,
	/* The one added last: what was there before is covered by it. */
	SYMTAB_LAST
};

struct symtab;

struct symtab *symtab_new(enum symtab_rule rule);
void symtab_free(struct symtab *t);

/*
 * Leave out what is added when all names together have that many bytes: names
 * of a file may be parts of each other there, and they are copied.
 */
void symtab_limit(struct symtab *t, uint64_t size);

/*
 * Add the range from start to before end; empty ones are left out.  The name
 * is copied, up to a NUL in it.  An open range, whose size is not known, also
 * ends where the next one begins.  The rank is any small number, see above.
 */
void symtab_add(struct symtab *t, uint64_t start, uint64_t end, bool open,
		unsigned rank, struct str name);

/*
 * Sort what was added, once, before the first question; after it nothing can
 * be added.
 */
void symtab_sort(struct symtab *t);

/* The range of an address; false, with *found as it was, if there is none. */
bool symtab_find(const struct symtab *t, uint64_t address,
		 struct symbol *found);

/* The number of the range of an address, or SYMTAB_NONE. */
#define SYMTAB_NONE UINT32_MAX
uint32_t symtab_number(const struct symtab *t, uint64_t address);

/* How many ranges there are, and, sorted, all of them by number, from 0. */
size_t symtab_size(const struct symtab *t);
struct symbol symtab_symbol(const struct symtab *t, size_t i);

/* How much memory the table takes, in bytes. */
size_t symtab_memory(const struct symtab *t);

#endif
