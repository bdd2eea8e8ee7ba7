/* die.h - entries of debug information. */
#ifndef DIE_H
#define DIE_H

#include "elffile.h"
#include "extents.h"

/*
 * Format: DWARF 2 to 5, chapter 2: debug information is a forest of entries,
 * one tree a unit.  Read by libdw, which die.c alone sees.
 */

/* The debug information of one file. */
struct dies;

/*
 * NULL if the file has none.  shared is what it shares with other files, or
 * NULL; both outlive it.
 */
struct dies *dies_open(struct elffile *f, struct elffile *shared);
void dies_close(struct dies *all);

/* An entry, as long as its file is open: a Dwarf_Die of libdw. */
struct die {
	const void *word[4];
};

enum die_kind {
	DIE_FUNCTION,
	DIE_INLINED,
	DIE_BLOCK,
	DIE_NAMESPACE,
	DIE_TYPE, /* with members */
	DIE_OTHER
};

/*
 * The next unit, in the order of the file; false behind the last.  The code
 * is where the head is; the entries are below the top, which is in a file of
 * its own if the unit is split (DWARF 5, 3.1.2 and 3.1.3).
 */
bool dies_unit(struct dies *all, struct die *head, struct die *top);

bool die_child(const struct die *d, struct die *child);
bool die_next(struct die *d); /* to its sibling; false behind the last */
enum die_kind die_kind(const struct die *d);

/*
 * Where an entry is in its file, which of a split unit is another one, and
 * what is there in the file that an entry is in.
 */
uint64_t die_offset(const struct die *d);
bool die_at(const struct die *in, uint64_t offset, struct die *d);

/* Of which unit an entry is, and where that begins: at its top. */
bool die_same_unit(const struct die *a, const struct die *b);
uint64_t die_unit_offset(const struct die *d);

/* From where a function is inlined, or made, to where it is declared. */
void die_declaration(struct die *d);

/* Names, also those of the declaration; empty if there are none. */
struct str die_name(const struct die *d);
bool die_is_named(const struct die *d); /* also where no one can read it */
struct str die_linkage_name(const struct die *d);

/* Where a function was inlined; false if it is not known. */
bool die_call_file(const struct die *d, uint32_t *number);
bool die_call_line(const struct die *d, uint32_t *line);

/* Add where its code is; what a linker left out is at 0, and is not. */
void die_extents(const struct die *d, struct extents *e, size_t what);

/* A file of a unit's line table; empty if there is none. */
struct str die_file(const struct die *top, uint32_t number);

/* The line of an address of a unit; false if it is not known. */
bool die_line(const struct die *top, uint64_t vaddr, struct str *file,
	      uint32_t *line);

#endif
