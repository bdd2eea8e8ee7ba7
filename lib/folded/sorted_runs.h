/* sorted_runs.h - merge sorted profiles while reading them side by side. */
#ifndef SORTED_RUNS_H
#define SORTED_RUNS_H

#include "folded/folded.h"

/* One profile. */
struct sorted_runs_input {
	const char *name; /* a path for input_open(); with fd, for messages */
	int fd;           /* an open file to read and close; 0: open name */
	int column;       /* the sum, 0 or 1, that takes its first count */
	int counts;       /* per line, by an option; 0: from the input */

	/* Read only. */
	struct input in;
	struct folded f; /* the next line */
	bool more;
};

/*
 * n profiles; the memory is one line for each.  The profiles are plain: no
 * metadata but a header at the start, no blank lines, the same number of counts
 * per line in all of them.
 */
struct sorted_runs {
	struct sorted_runs_input *input;
	size_t n;
	int counts; /* per line; 0: as in the first input */

	/* The first input that is not plain and sorted; reading stops there. */
	struct sorted_runs_input *bad;
	uint64_t bad_line;
	const char *reason; /* such as "it is not sorted" */

	/* Private: a heap of the inputs with lines, first stack on top. */
	struct sorted_runs_input **heap;
	size_t nheap;
};

/*
 * The number of inputs that can be read side by side: a part of the limit of
 * open files, because some inputs need pipes and other files are open too.
 */
size_t sorted_runs_most(void);

/* Open all inputs and read their headers and the first stack of each. */
void sorted_runs_open(struct sorted_runs *r, struct tally *tally);

/*
 * Append the next stack to *stack and set the sums of its counts.  False after
 * the last stack, or if r->bad; then the sums of the previous stack may be
 * wrong.  Ends the program with status 2 if a sum exceeds 64 bits.
 */
bool sorted_runs_next(struct sorted_runs *r, struct buf *stack,
		      struct count sum[2]);

/*
 * The same in steps, for a caller that needs each line:
 * sorted_runs_stack() appends the next stack; false as above.
 * sorted_runs_at() returns an input whose next line has this stack, or NULL.
 * sorted_runs_skip() advances that input to its next line.
 */
bool sorted_runs_stack(const struct sorted_runs *r, struct buf *stack);
struct sorted_runs_input *sorted_runs_at(const struct sorted_runs *r,
					 struct str stack);
void sorted_runs_skip(struct sorted_runs *r, struct str stack);

void sorted_runs_close(struct sorted_runs *r);

#endif
