/* runs.h - sorted profiles, read side by side. */
#ifndef RUNS_H
#define RUNS_H

#include "folded.h"

/* One of the profiles, and the line of it that is next. */
struct runs_input {
	const char *name; /* a path as for input_open(), or a name for fd */
	int fd;           /* an open file, which is taken; 0 for none */
	int column;       /* of the sums that its first count belongs to */
	int counts;       /* a line, where an option says so, else 0 */

	/* Below here is runs.c's own, but may be looked at. */
	struct input in;
	struct folded f;
	bool more;
};

/*
 * n profiles, in memory of a line each.  They are plain ones: no metadata but
 * a header at the start, no blank lines, the same number of counts a line.
 */
struct runs {
	struct runs_input *input;
	size_t n;
	int counts; /* a line; 0 at first for those of the first input */

	/* An input that is not such, where, and why; then all ends. */
	struct runs_input *bad;
	uint64_t bad_line;
	const char *reason; /* "it is not sorted" */

	/* Below here is runs.c's own. */
	struct runs_input **heap; /* those with more; first the next stack's */
	size_t nheap;
};

/*
 * How many inputs can be read side by side: a part of the files that may be
 * open, since some are read through pipes, and others are open as well.
 */
size_t runs_most(void);

/* Open all, and read to the first stack of each: headers are known then. */
void runs_open(struct runs *r, struct tally *tally);

/*
 * Append the next stack to a buffer, and set the two sums of its counts.  False
 * when there are no more, or an input is bad; then the sums of the last stack
 * may be wrong.  Ends the program with status 2 where a sum exceeds
 * 64 bits.
 */
bool runs_next(struct runs *r, struct buf *stack, struct count sum[2]);

/*
 * The same by hand.  Append the next stack, false when there are no more or an
 * input is bad; then, as long as an input has a line of it, which is in its f,
 * go to its next one.
 */
bool runs_stack(const struct runs *r, struct buf *stack);
struct runs_input *runs_at(const struct runs *r, struct str stack);
void runs_skip(struct runs *r, struct str stack);

void runs_close(struct runs *r);

#endif
