/* die.h - debugging information entries (DIEs). */
#ifndef DIE_H
#define DIE_H

#include "elf/dwarf_package.h"
#include "elf/elffile.h"
#include "elf/intervals.h"

/*
 * Format: DWARF 2 to 5, chapter 2: debug information is a forest of entries,
 * with a tree for each unit.  Only die.c and variable.c see libdw, which reads
 * it.
 */

/* The debug information of a file. */
struct die_forest;

/*
 * Open the debug information of a file; NULL if it has none.  shared is its
 * supplementary file (dwz), or NULL.  package has its split units, or is NULL.
 * They must outlive the forest.
 *
 * Unless all is true, compressed tables of lines and of the places of variables
 * may be missing, as if the file had none.  Decompressing them takes longer
 * than finding names.
 */
struct die_forest *die_open(struct elffile *f, struct elffile *shared,
			    struct dwarf_package *package, bool all);
void die_close(struct die_forest *forest);

/* An entry, valid while the forest is open: a Dwarf_Die of libdw. */
struct die {
	const void *word[4];
};

/*
 * The same debug information for another thread: libdw lets one thread read a
 * forest at a time.  Names are in the memory of base, which outlives the fork.
 * NULL if there are units in other files.
 */
struct die_forest *die_fork(const struct die_forest *base);

/* The entry of this forest for one of its base, or of another fork. */
struct die die_in(const struct die_forest *forest, const struct die *d);

enum die_kind {
	DIE_FUNCTION,
	DIE_INLINED,
	DIE_BLOCK,
	DIE_NAMESPACE,
	DIE_TYPE, /* with members */
	DIE_OTHER
};

/*
 * Get the next unit, in the order of the file; false after the last.  Its head
 * has the addresses of the code and the line table.
 */
bool die_unit(struct die_forest *forest, struct die *head);

/*
 * Get the top of the unit, which has the entries below it.  If the unit is
 * split (DWARF 5, 3.1.2 and 3.1.3), that is in another file, whose addresses
 * are relative to *base.  False if that file is missing; then top is the head.
 */
bool die_top(struct die_forest *forest, const struct die *head, struct die *top,
	     uint64_t *base);

/* The name of the file of a split unit, for a message. */
struct str die_split_name(const struct die *head);

/* Get the first child, or move to the next sibling; false if there is none. */
bool die_child(const struct die *d, struct die *child);
bool die_next(struct die *d);
enum die_kind die_kind(const struct die *d);

/*
 * The offset of an entry in its file, and the entry at an offset of the file
 * that in belongs to.  A split unit has a file of its own.
 */
uint64_t die_offset(const struct die *d);
bool die_at(const struct die *in, uint64_t offset, struct die *d);

/* Whether two entries have the same unit; the offset of the top of a unit. */
bool die_same_unit(const struct die *a, const struct die *b);
uint64_t die_unit_offset(const struct die *d);

/* Follow an inlined function, or a definition, to its declaration. */
void die_declaration(struct die *d);

/* Names, also those of the declaration; empty if there are none. */
struct str die_name(const struct die *d);
bool die_is_named(const struct die *d); /* even if it is unreadable */
struct str die_linkage_name(const struct die *d);

/* Where a function was inlined; false if that is unknown. */
bool die_call_file(const struct die *d, uint32_t *number);
bool die_call_line(const struct die *d, uint32_t *line);

/*
 * Add the ranges of its code, plus base.  Code that a linker dropped is at 0:
 * skip it.  All calls together add fewer ranges than the files have bytes.
 */
void die_extents(struct die_forest *forest, const struct die *d, uint64_t base,
		 struct intervals *e, size_t what);

/* A file of the table of a head or top; empty if there is no such file. */
struct str die_file(const struct die *top, uint32_t number);

/*
 * The start of a statement in the source.  The file is as the compiler recorded
 * it.
 */
struct elf_line {
	uint64_t vaddr;
	struct str file;
	uint32_t line;
};

/* Call each() for all statements of a unit, in the order of addresses. */
void die_lines(const struct die *head,
	       void (*each)(void *arg, const struct elf_line *line), void *arg);

/* The line of an address in a unit; false if it is unknown. */
bool die_line(const struct die *head, uint64_t vaddr, struct str *file,
	      uint32_t *line);

#endif
