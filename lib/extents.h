/* extents.h - ranges of addresses that may lie in each other. */
#ifndef EXTENTS_H
#define EXTENTS_H

#include <stddef.h>
#include <stdint.h>

/* From start to before end; what, an index of what the table is about. */
struct extent {
	uint64_t start, end;
	size_t what;
	size_t around; /* the number of the one that this lies in */
};

/* All zero is an empty table; release p with free(3). */
struct extents {
	struct extent *p;
	size_t n, cap;
};

void extents_add(struct extents *e, uint64_t start, uint64_t end, size_t what);
void extents_sort(struct extents *e);

/*
 * What has an address, of a sorted table; SIZE_MAX if nothing has.  Of
 * several it is the innermost: the one that starts last, of equal ones the
 * one with the greatest index.
 */
size_t extents_find(const struct extents *e, uint64_t address);

#endif
