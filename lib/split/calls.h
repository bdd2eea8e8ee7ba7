/* calls.h - tracks the function call that each thread of a stream is in. */
#ifndef CALLS_H
#define CALLS_H

#include "split/stack_counts.h"
#include "stream/samples.h"

/* How a call ended. */
enum call_end {
	CALL_RETURNED,  /* its entry and its return were recorded */
	CALL_BEFORE,    /* it began before the stream */
	CALL_ABANDONED, /* by longjmp or an exception: another call began */
	CALL_OPEN,      /* it had not returned at the end of the stream */
	CALL_LOST,      /* records were lost in it: it may be several calls */
	CALL_ENDS
};

struct timed_call {
	uint64_t begin, end; /* ns; begin is 0 for CALL_BEFORE */
	int64_t pid, tid;
	uint64_t depth;             /* open calls, including this one */
	uint32_t entry_stack;       /* the stack of its entry */
	uint64_t last_sample;       /* time of its last sample, ns */
	struct stack_counts counts; /* sampled in it */
	uint64_t longest_wait;      /* ns, 0 if it did not wait */
	uint32_t wait_stack;        /* the stack of that wait */
	struct buf args;            /* of its entry, encoded as in folded(5) */
	bool uncertain; /* later entries may be the next call, not nested */
	bool has_ended; /* a stack without the call proves this */
};

/*
 * The caller sets the first fields, the rest is zero; release with
 * calls_free().
 */
struct calls {
	bool flat;                   /* calls do not nest */
	const struct intern *stacks; /* the stacks that samples refer to */
	/* Called when a call ends; call belongs to calls.c. */
	void (*ended)(void *arg, const struct timed_call *call,
		      enum call_end how);
	/* Called with what was sampled outside of calls. */
	void (*outside)(void *arg, const struct stack_counts *counts);
	void *arg;

	uint64_t nested;       /* calls within others, not counted as calls */
	uint64_t stray;        /* returns without an entry */
	uint64_t out_of_order; /* entries and returns */

	/* Private to calls.c. */
	struct calls_thread *thread;
	size_t n, cap;
	uint64_t losses;
};

/* A thread enters a call. */
void calls_enter(struct calls *c, const struct sample_line *sample);

/* A thread returns from a call. */
void calls_return(struct calls *c, const struct sample_line *sample);

/*
 * The call that a thread is in, or NULL.  The caller adds samples to its
 * counts.  Before the first entry or return of the thread it is a placeholder
 * whose begin is 0.
 */
struct timed_call *calls_of(struct calls *c, const struct origin *o);

/*
 * A thread was sampled in an open call.  If the entries do not show whether the
 * call is still open, the sampled stack does.
 */
void calls_sampled(const struct calls *c, struct timed_call *call,
		   uint32_t stack);

/* Whether a thread is in a call whose entry was recorded. */
bool calls_is_inside(const struct calls *c, const struct origin *o);

/* Records of any thread were lost. */
void calls_lost(struct calls *c);

/* The stream ends, and with it all calls. */
void calls_end(struct calls *c);

void calls_free(struct calls *c);

#endif
