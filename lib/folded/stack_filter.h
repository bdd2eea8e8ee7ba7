/* stack_filter.h - the loop of a filter that changes stacks of folded text. */
#ifndef STACK_FILTER_H
#define STACK_FILTER_H

#include "cli/cmd.h"
#include "folded/fold.h"
#include "folded/folded.h"

/*
 * A filter; zero but for the first part.  Release with stack_filter_free().
 *
 * If merge is set, the stacks of plain profiles are added up and come out
 * sorted.  Samples of a stream are written one by one with their metadata, and
 * snapshots when they end.
 */
struct stack_filter {
	int counts_option; /* counts per line, 0 without the option */
	bool merge;        /* changed stacks may be equal */
	bool drops;        /* stacks may be dropped, so n is unknown */
	bool silent;       /* write nothing */
	bool raw;          /* do not escape stacks on input */
	void *arg;         /* for the functions below */

	/* Leave out merged stacks below this share of their profile. */
	double min_share;
	uint64_t small;     /* stacks left out so far */
	double small_share; /* their share of a profile, where it was most */

	/* Called when names is a new table; may be NULL. */
	void (*begin)(struct stack_filter *sf);
	/*
	 * Called with each stack.  It passes the changed stack to
	 * stack_filter_add() if merge is true, else to stack_filter_line().  It
	 * passes nothing to drop the stack.
	 */
	void (*stack)(struct stack_filter *sf, const struct folded *f,
		      const struct input *in, bool merge);

	struct intern *names; /* of the frames of changed stacks */

	/* Private. */
	struct fold *fold; /* if merge */
	struct buf out;
	const struct folded *current; /* the line for which stack() is called */
	bool has_own;  /* current is a sample with its own metadata */
	uint64_t lost; /* records lost before the samples that were dropped */
	int fold_counts;
	uint32_t names_limit; /* start a new table above; 0: first snapshot */
	int out_counts;       /* of stacks since the last header, or 0 */
	bool had_header, header_is_old; /* it was in an earlier file */
};

/* Read a file; for cmd_files(), with the struct stack_filter as arg. */
void stack_filter_read(struct input *in, void *arg);

/* Add a stack, n > 0 numbers in names, root first. */
void stack_filter_add(struct stack_filter *sf, const uint32_t *id, size_t n);

/*
 * Begin a line: the caller appends the text of the stack to the buffer
 * returned.  stack_filter_line_end() adds the counts.
 */
struct buf *stack_filter_line(struct stack_filter *sf);
void stack_filter_line_end(struct stack_filter *sf);

/* Write the rest.  A sum beyond 64 bits ends the program with status 2. */
void stack_filter_end(struct stack_filter *sf);

void stack_filter_free(struct stack_filter *sf);

#endif
