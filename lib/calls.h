/* calls.h - the calls that the threads of a stream are in. */
#ifndef CALLS_H
#define CALLS_H

#include "cells.h"
#include "samples.h"

/* How a call ended. */
enum call_end {
	CALL_RETURNED, /* and it was seen to begin */
	CALL_BEFORE,   /* it had begun before the stream did */
	CALL_LEFT,     /* by longjmp or an exception: another began instead */
	CALL_OPEN,     /* it had not ended when the stream did */
	CALL_LOST,     /* records were lost meanwhile: it may be several */
	CALL_ENDS
};

struct call {
	uint64_t begin, end; /* ns; begin is 0 for CALL_BEFORE */
	int64_t pid, tid;
	uint64_t depth;     /* calls that are open, this one too */
	uint32_t stack;     /* where it was entered */
	uint64_t seen;      /* the time of its last sample */
	struct cells cells; /* what was sampled in it */
	uint64_t waited;    /* the longest wait in it, 0 if none was seen, */
	uint32_t wait;      /* and its stack */
	struct buf args;    /* of its entry, as written */
	bool doubted;       /* others may have begun behind it, not in it, */
	bool over;          /* as a stack without it has shown */
};

/* All zero but for the first part; release with calls_free(). */
struct calls {
	bool flat;                   /* calls do not nest */
	const struct intern *stacks; /* names of what is sampled */
	/* Is told of a call that is over; the call is the caller's. */
	void (*ended)(void *arg, const struct call *c, enum call_end how);
	/* Takes what was sampled in no call. */
	void (*outside)(void *arg, const struct cells *cells);
	void *arg;

	uint64_t nested;   /* calls in others, which are not counted */
	uint64_t stray;    /* returns from calls that were not seen to begin */
	uint64_t disorder; /* entries and returns before those of before */

	/* Below here is calls.c's own. */
	struct calls_thread *thread;
	size_t n, cap;
	uint64_t losses;
};

/* A thread enters a call, or returns from one. */
void calls_enter(struct calls *c, const struct sample_line *s);
void calls_return(struct calls *c, const struct sample_line *s);

/*
 * The call that a thread is in, to whose cells samples are added; or NULL.
 * Until a thread is seen to enter or to return it is in a call of which
 * nothing is known, begin is 0.
 */
struct call *calls_of(struct calls *c, const struct origin *o);

/*
 * A call is open as a thread is sampled: whether it is in truth shows in the
 * stack, where entries do not tell.
 */
void calls_sampled(const struct calls *c, struct call *call, uint32_t stack);

/* Whether that is a call that was seen to begin. */
bool calls_is_inside(const struct calls *c, const struct origin *o);

/* Records were lost, of any thread. */
void calls_lost(struct calls *c);

/* The stream has ended: so do all calls. */
void calls_end(struct calls *c);

void calls_free(struct calls *c);

#endif
