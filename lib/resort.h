/* resort.h - folded text on its way through a filter that changes stacks. */
#ifndef RESORT_H
#define RESORT_H

#include "count.h"

#include <stdio.h>

/*
 * A profile that is sorted comes out sorted, equal stacks added up.  It is
 * held for that, but what was in order needs little work to be so again.
 * Samples of a stream, and a profile that is in no order, pass as they come.
 */
struct resort;

struct resort *resort_new(FILE *out);
void resort_free(struct resort *r);

/* Another file begins, whose stacks may begin anew. */
void resort_begin(struct resort *r);

/*
 * A stack as it was read, and as it is now, with its counts, one or two.  Only
 * frames that begin with '[' are changed.  A sum beyond 64 bits ends the
 * program with status 2, here or later.
 */
void resort_stack(struct resort *r, struct str was, struct str stack,
		  const struct count *count, int counts);

/* A line of metadata, without LF: a header, or of the next stack only. */
void resort_meta(struct resort *r, struct str line, bool is_header);

/* The end of a snapshot: all is written. */
void resort_blank(struct resort *r);

/* The end: all is written. */
void resort_end(struct resort *r);

#endif
