/* sorter.h - records put in order, however many. */
#ifndef SORTER_H
#define SORTER_H

#include <stddef.h>

struct sorter;

/*
 * Records of a size, and what tells their order, as for qsort(3): no two may be
 * equal.  What does not fit into a few megabytes waits in a temporary file.
 */
struct sorter *sorter_new(size_t size,
			  int (*compare)(const void *, const void *));
void sorter_free(struct sorter *s);

/* Copy a record.  Not after the first sorter_next(). */
void sorter_add(struct sorter *s, const void *record);

/* The next record, valid until the next call; NULL if none is left. */
const void *sorter_next(struct sorter *s);

#endif
