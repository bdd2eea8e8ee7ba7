/* extsort.h - sort records that may not fit into memory. */
#ifndef EXTSORT_H
#define EXTSORT_H

#include <stddef.h>

struct extsort;

/*
 * Sort records of size bytes by a comparison as for qsort(3), which never finds
 * two records equal.  Records that do not fit into 8 MiB go to a temporary
 * file.
 */
struct extsort *extsort_new(size_t size,
			    int (*compare)(const void *, const void *));
void extsort_free(struct extsort *s);

/* Copy a record into the sort.  Not after the first extsort_next(). */
void extsort_add(struct extsort *s, const void *record);

/* The next record in order, valid until the next call; NULL at the end. */
const void *extsort_next(struct extsort *s);

#endif
