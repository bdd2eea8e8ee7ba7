/* probe_places.h - where the functions of a program begin in its file. */
#ifndef PROBE_PLACES_H
#define PROBE_PLACES_H

#include "base/arena.h"
#include "base/buf.h"

/* A place in a file that is probed. */
struct probe_place {
	uint64_t offset; /* in the file */
	uint64_t vaddr;  /* the address that the file is linked for */
	uint64_t size;   /* of the function; 0 if unknown */
	struct str name; /* of the function, mangled; empty if unknown */
	bool begins;     /* a function, not somewhere in it */
	struct str args; /* what to fetch there, as in tracefs */
};

/* All zero is empty; release with probe_places_free(). */
struct probe_places {
	struct probe_place *place; /* by offset */
	size_t n, cap;
	struct arena names;
};

void probe_places_free(struct probe_places *all);

/*
 * Find all functions of an ELF file that have a name as people read it, or as
 * the linker does: "handle", "ns::Class::method" or its last parts, with the
 * wildcards '*' and '?'.  Copies that the compiler made (".isra.0") are found,
 * too; parts that are never entered (".cold") are not.  False, with the reason
 * appended to why, if there is none.
 */
bool probe_places_find(struct probe_places *all, const char *path,
		       struct str function, struct buf *why);

/* Add an offset; the name is not known. */
void probe_places_add(struct probe_places *all, uint64_t offset);

#endif
