/* take.h - one thread taken: by a copy while it waits, or by a stop. */
#ifndef TAKE_H
#define TAKE_H

#include "hold.h"
#include "sampler.h"
#include "stackof.h"
#include "tasks.h"

/* A thread that was told to stop, and has not yet. */
struct waiting {
	struct task *task;
	struct look look;
};

/*
 * A thread that was taken, by what there is of its stack.  It is unwound and
 * told of when nothing is held: that may read files.
 */
struct taken {
	struct task *task;
	struct look look;
	enum { TAKEN_FRAMES, TAKEN_HELD, TAKEN_NOTHING } what;
	struct held_thread held;
};

/* What is used for all threads; made by sampler.c. */
struct taker {
	struct sampler_options options;
	struct processes *processes;
	struct build_ids *ids;
	struct holder *holder;
	struct stackof *stacks;
	enum look_count count;
	struct held_thread held;
	struct waiting *waiting; /* all of one process, as are: */
	size_t nwaiting, waiting_cap;
	struct taken *taken;
	size_t ntaken, taken_cap; /* all up to the latter are initialized */
	struct buf copy;
	struct sampler_counts counts;
};

/*
 * Look at a thread, as it is now: whether it runs is decided by that.  Then
 * take it, if it is wanted, and tell of it before take_rest() returns.
 */
void take_look(struct taker *s, struct tasks *p, struct task *t);
void take_task(struct taker *s, struct tasks *p, struct task *t);

/* Take those that have stopped by now; wait for those that have not. */
void take_late(struct taker *s, struct tasks *p);
void take_rest(struct taker *s, struct tasks *p);

/* Stop all threads together, so that their stacks are of one moment. */
void take_together(struct taker *s, struct tasks *p);

/* Release what this keeps in it. */
void take_free(struct taker *s);

#endif
