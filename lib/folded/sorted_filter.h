/* sorted_filter.h - sorted output for a filter that changes stacks. */
#ifndef SORTED_FILTER_H
#define SORTED_FILTER_H

#include "base/count.h"

#include <stdio.h>

/*
 * A sorted profile stays sorted after its stacks have changed, and stacks that
 * have become equal are added up.  Stacks are buffered until no later stack can
 * sort before them.  Samples of a stream, and a profile that is not sorted, are
 * written at once, unchanged in order.
 */
struct sorted_filter;

struct sorted_filter *sorted_filter_new(FILE *out);
void sorted_filter_free(struct sorted_filter *sf); /* may be NULL */

/* Begin another file, whose stacks may sort before those of the last file. */
void sorted_filter_begin(struct sorted_filter *sf);

/*
 * Write a stack.  old is the stack as read, stack is the changed stack, with
 * one or two counts.  The filter must change only frames that begin with '['.
 * If a sum exceeds 64 bits, end the program with status 2, now or later.
 */
void sorted_filter_stack(struct sorted_filter *sf, struct str old,
			 struct str stack, const struct count *count,
			 int counts);

/* Write a metadata line, without LF: a header, or keys of the next stack. */
void sorted_filter_meta(struct sorted_filter *sf, struct str line,
			bool is_header);

/* Write the blank line that ends a snapshot, and flush. */
void sorted_filter_blank(struct sorted_filter *sf);

/* Write everything that is buffered. */
void sorted_filter_end(struct sorted_filter *sf);

#endif
