/* call_backlog.h - calls that wait until the threshold of slow ones is set. */
#ifndef CALL_BACKLOG_H
#define CALL_BACKLOG_H

#include "split/calls.h"

struct backlog_call {
	uint64_t ns, samples;
	uint32_t n;    /* its stacks follow those of the previous calls */
	uint32_t part; /* for the user */
};

/* What a list of calls shows. */
struct backlog_detail {
	uint64_t begin;
	int64_t tid;
	uint64_t longest_wait; /* ns */
	uint32_t wait_stack;   /* the stack of that wait */
	uint32_t entry_stack;
	size_t call; /* index in call_backlog.call */
	size_t args; /* offset in the text, which ends with NUL */
};

/*
 * The caller sets detailed, the rest is zero; release with call_backlog_free().
 */
struct call_backlog {
	bool detailed; /* store details too */
	struct backlog_call *call;
	struct backlog_detail *detail; /* of each call */
	size_t n;

	/* Private to call_backlog.c. */
	size_t cap, detail_cap;
	struct stack_count *count; /* of all calls */
	size_t ncounts, count_cap;
	struct buf text;
};

/*
 * Copy a call, with or without the stacks that were sampled in it.  The result
 * is valid until the next call_backlog_add().
 */
struct backlog_call *call_backlog_add(struct call_backlog *b,
				      const struct timed_call *call,
				      bool with_counts);

/*
 * The stacks sampled in a call.  Get them for all calls in order; *at must be 0
 * for the first call.  The result borrows its array until the next
 * call_backlog_add().
 */
struct stack_counts call_backlog_counts(const struct call_backlog *b,
					const struct backlog_call *call,
					size_t *at);

/* The arguments of a call, encoded as in folded(5). */
struct str call_backlog_args(const struct call_backlog *b,
			     const struct backlog_detail *d);

/* The approximate size in bytes. */
size_t call_backlog_memory(const struct call_backlog *b);

/* Sort the details by the start time of the calls. */
void call_backlog_sort(struct call_backlog *b);

/* Release all memory; the backlog is all zero then. */
void call_backlog_free(struct call_backlog *b);

#endif
