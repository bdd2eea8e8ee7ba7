/* intervals.h - a table of address ranges that may be nested. */
#ifndef INTERVALS_H
#define INTERVALS_H

#include <stddef.h>
#include <stdint.h>

/* From start to before end. */
struct interval {
	uint64_t start, end;
	size_t what; /* the caller's number for it */
};

/* Addresses from start up to the next piece are in one range, or none. */
struct interval_piece {
	uint64_t start;
	size_t what; /* SIZE_MAX: in none */
};

/* All zero is an empty table. */
struct intervals {
	struct interval *p;
	size_t n, cap;
	struct interval_piece *pieces; /* set by intervals_sort() */
	size_t pieces_n, pieces_cap;
};

void intervals_free(struct intervals *e);

void intervals_add(struct intervals *e, uint64_t start, uint64_t end,
		   size_t what);
void intervals_sort(struct intervals *e);

/*
 * Find the range with an address in a sorted table, and return its number;
 * SIZE_MAX if there is none.  If several contain it, find the innermost:
 * the one that starts last, and among equal ones that with the greatest number.
 */
size_t intervals_find(const struct intervals *e, uint64_t address);

#endif
